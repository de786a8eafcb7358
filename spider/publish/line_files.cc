#include "spider/publish/line_files.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

#include "common/base/status.h"

namespace orbweaver {
namespace {

constexpr std::string_view kSuffix = ".jsonl";

absl::StatusOr<uint64_t> WholeLines(int fd, const std::string& /*path*/) {
  std::vector<char> block(size_t{64} << 10);
  uint64_t whole = 0;
  for (uint64_t at = 0;;) {
    const ssize_t size = pread(fd, block.data(), block.size(), static_cast<off_t>(at));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return FatalError("read archive: {}. Check the disk", std::strerror(errno));
    if (size == 0) return whole;
    const std::string_view bytes(block.data(), static_cast<size_t>(size));
    const size_t end = bytes.rfind('\n');
    if (end != std::string_view::npos) whole = at + end + 1;
    at += bytes.size();
  }
}

}  // namespace

LineFiles::LineFiles(const ArchiveOptions& options, std::string_view kind, std::string_view writer,
                     const Clock& clock)
    : files_({.folder = options.folder,
              .prefix = std::string(kind) + "-" + std::string(writer),
              .suffix = std::string(kSuffix),
              .max_file_bytes = options.max_file_bytes},
             clock) {}

int RecoverLineFiles(const ArchiveOptions& options) {
  return RecoverOutputFiles(options.folder, kSuffix, WholeLines);
}

}  // namespace orbweaver
