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
constexpr std::string_view kZstdSuffix = ".jsonl.zst";

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
    : max_file_bytes_(options.max_file_bytes),
      files_(
          {.folder = options.folder,
           .prefix = std::string(kind) + "-" + std::string(writer),
           .suffix = std::string(options.line_format == LineFormat::kZstd ? kZstdSuffix : kSuffix),
           // Append ends a file here, with what ends its frame.
           .max_file_bytes = UINT64_MAX},
          clock) {
  if (options.line_format == LineFormat::kZstd) zstd_ = std::make_unique<ZstdLines>();
}

absl::Status LineFiles::Append(std::string_view line) {
  if (files_.size() >= max_file_bytes_) RETURN_IF_ERROR(Finish());
  return files_.Append(zstd_ == nullptr ? line : zstd_->Compress(line));
}

absl::Status LineFiles::Finish() {
  if (zstd_ != nullptr && files_.size() > 0) RETURN_IF_ERROR(files_.Append(zstd_->End()));
  return files_.Finish();
}

int RecoverLineFiles(const ArchiveOptions& options) {
  return RecoverOutputFiles(options.folder, kSuffix, WholeLines) +
         RecoverOutputFiles(options.folder, kZstdSuffix, RepairZstdLines);
}

}  // namespace orbweaver
