#include "spider/publish/disk_error.h"

#include <cerrno>
#include <cstring>

#include "common/base/status.h"

namespace orbweaver {

absl::Status DiskError(std::string_view action, std::string_view path) {
  const int error = errno;
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return FatalError("{} {}: {}. {}", action, path, std::strerror(error),
                    full ? "Make room on the disk, then start again; nothing is lost"
                         : "Check spider.archive.folder");
}

}  // namespace orbweaver
