#include "cli/crawl/output_folder.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include "fmt/format.h"

#include "common/base/status.h"

namespace orbweaver {

absl::Status CheckOutputFolder(const std::string& folder) {
  if (folder.empty()) return absl::OkStatus();
  // The nearest that is there decides.
  std::filesystem::path there = std::filesystem::absolute(folder);
  struct stat found{};
  while (stat(there.c_str(), &found) != 0) {
    if ((errno != ENOENT && errno != ENOTDIR) || !there.has_relative_path()) {
      return FatalError("write to {}: look at {}: {}. Choose another folder for --out", folder,
                        there.string(), std::strerror(errno));
    }
    there = there.parent_path();
  }
  if (!S_ISDIR(found.st_mode)) {
    return FatalError("write to {}: {} is no folder. Choose another one for --out", folder,
                      there.string());
  }
  if (access(there.c_str(), W_OK | X_OK) == 0) return absl::OkStatus();
  const int error = errno;
  return FatalError(
      "write to {} as user {}: {}: {} belongs to user {}. Choose a folder that you may write to "
      "for "
      "--out, or run as its owner",
      folder, geteuid(), std::strerror(error), there.string(), found.st_uid);
}

}  // namespace orbweaver
