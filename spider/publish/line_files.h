// Files of JSON lines: plain, compressed, or as Parquet once they are finished.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "spider/publish/line_converter.h"
#include "spider/publish/output_files.h"
#include "spider/publish/publish_options.h"
#include "spider/publish/zstd_lines.h"

namespace orbweaver {

// Place: below Archive and FailureFile, one for each kind of line. Not thread-safe.
class LineFiles {
 public:
  // Names begin with `kind`, "pages"; `writer` tells those apart that write into one folder at the
  // same time. `clock` must outlive this. `converter`: of those who want Parquet.
  LineFiles(const ArchiveOptions& options, std::string_view kind, std::string_view writer,
            const Clock& clock, std::shared_ptr<LineConverter> converter = nullptr);

  // `line` ends with its line break. Fatal when it cannot be written; nothing of it is then in the
  // file.
  absl::Status Append(std::string_view line);

  // Finishes the file that is being written; the converter may still have work with it, which its
  // Wait waits for. Append begins another.
  absl::Status Finish();

 private:
  const uint64_t max_file_bytes_;
  OutputFiles files_;
  std::unique_ptr<ZstdLines> zstd_;                 // null: not compressed
  const std::shared_ptr<LineConverter> converter_;  // null: lines are what they stay
};

// A Repair: what is whole of a file of lines.
absl::StatusOr<uint64_t> WholeLines(int fd, const std::string& path);

// Finishes what writers that died have left in the folder; returns how many files that were.
int RecoverLineFiles(const ArchiveOptions& options);

}  // namespace orbweaver
