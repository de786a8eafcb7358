#include "spider/publish/line_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/status.h"
#include "spider/publish/lines_to_parquet.h"

namespace orbweaver {
namespace {

constexpr std::string_view kSuffix = ".jsonl";
constexpr std::string_view kZstdSuffix = ".jsonl.zst";
// Lines that become a Parquet file: they are read again then, and the crawl's end waits for it.
constexpr uint64_t kMaxConvertedBytes = uint64_t{128} << 20;

std::string_view SuffixOf(LineFormat format) {
  switch (format) {
    case LineFormat::kZstd:
      return kZstdSuffix;
    case LineFormat::kParquet:
      return kParquetSuffix;
    case LineFormat::kPlain:
      break;
  }
  return kSuffix;
}

uint64_t MaxBytes(const ArchiveOptions& options) {
  return options.line_format == LineFormat::kParquet
             ? std::min(options.max_file_bytes, kMaxConvertedBytes)
             : options.max_file_bytes;
}

}  // namespace

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

LineFiles::LineFiles(const ArchiveOptions& options, std::string_view kind, std::string_view writer,
                     const Clock& clock, std::shared_ptr<LineConverter> converter)
    : max_file_bytes_(MaxBytes(options)),
      files_(
          {.folder = options.folder,
           .prefix = std::string(kind) + "-" + std::string(writer),
           .suffix = std::string(SuffixOf(options.line_format)),
           .ending = options.line_format == LineFormat::kParquet ? kLinesEnding : OutputFile::kOpen,
           // Append ends a file here, with what ends its frame.
           .max_file_bytes = UINT64_MAX},
          clock),
      converter_(options.line_format == LineFormat::kParquet ? std::move(converter) : nullptr) {
  CHECK(options.line_format != LineFormat::kParquet || converter_ != nullptr);
  if (options.line_format == LineFormat::kZstd) zstd_ = std::make_unique<ZstdLines>();
}

absl::Status LineFiles::Append(std::string_view line) {
  if (files_.size() >= max_file_bytes_) RETURN_IF_ERROR(Finish());
  return files_.Append(zstd_ == nullptr ? line : zstd_->Compress(line));
}

absl::Status LineFiles::Finish() {
  if (zstd_ != nullptr && files_.size() > 0) RETURN_IF_ERROR(files_.Append(zstd_->End()));
  if (converter_ == nullptr) return files_.Finish();
  std::unique_ptr<OutputFile> lines = files_.Release();
  return lines == nullptr ? absl::OkStatus() : converter_->Add(std::move(lines));
}

int RecoverLineFiles(const ArchiveOptions& options) {
  return RecoverOutputFiles(options.folder, kSuffix, WholeLines) +
         RecoverOutputFiles(options.folder, kZstdSuffix, RepairZstdLines) +
         RecoverOutputFiles(options.folder, kParquetSuffix, kLinesEnding, WholeLines,
                            LinesToParquet);
}

}  // namespace orbweaver
