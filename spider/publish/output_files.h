// Output files one after the other: when one is large enough, the next.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "spider/publish/output_file.h"

namespace orbweaver {

struct OutputFilesOptions {
  std::string folder;
  std::string prefix;  // of the names; tells those apart that write at the same time
  std::string suffix;
  std::string_view ending = OutputFile::kOpen;  // of a file that is not finished
  uint64_t max_file_bytes = uint64_t{1} << 30;
};

// Place: between an archive's writer and its file; the first file is made when there is something
// to write. Names are PREFIX-YYYYMMDDhhmmss-NNNNN and the suffix: in the order they were begun. Not
// thread-safe.
class OutputFiles {
 public:
  // `begun` gets the name of each new file and makes the record that it begins with, or nothing;
  // `finished` is called once a file has its name. `clock` must outlive this.
  using Begun = std::function<absl::StatusOr<std::string>(std::string_view name)>;
  using Finished = std::function<absl::Status()>;
  OutputFiles(OutputFilesOptions options, const Clock& clock, Begun begun = nullptr,
              Finished finished = nullptr);

  // Fatal when it cannot be written; nothing of it is then in the file.
  absl::Status Append(std::string_view record);

  // Of the file that is being written; 0 when there is none.
  uint64_t size() const { return file_ == nullptr ? 0 : file_->size(); }

  // Finishes the file that is being written. Append begins another.
  absl::Status Finish();
  // The same for one that others finish: nullptr when there is none.
  std::unique_ptr<OutputFile> Release() { return std::move(file_); }

 private:
  absl::Status Begin();

  const OutputFilesOptions options_;
  const Clock& clock_;
  const Begun begun_;
  const Finished finished_;
  std::unique_ptr<OutputFile> file_;
  uint32_t made_ = 0;
};

}  // namespace orbweaver
