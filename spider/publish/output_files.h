// Output files one after the other: when one is large enough, the next.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "spider/publish/output_file.h"

namespace orbweaver {

struct OutputFilesOptions {
  std::string folder;
  std::string prefix;  // of the names; tells those apart that write at the same time
  std::string suffix;
  uint64_t max_file_bytes = uint64_t{1} << 30;
};

// Place: between an archive's writer and its file; the first file is made when there is something
// to write. Names are PREFIX-YYYYMMDDhhmmss-NNNNN and the suffix: in the order they were begun. Not
// thread-safe.
class OutputFiles {
 public:
  // `first_record` makes what each file begins with, and gets the file's name. `clock` must outlive
  // this.
  OutputFiles(OutputFilesOptions options, const Clock& clock,
              std::function<std::string(std::string_view name)> first_record);

  // Fatal when it cannot be written; nothing of it is then in the file.
  absl::Status Append(std::string_view record);

  // Finishes the file that is being written. Append begins another.
  absl::Status Finish();

 private:
  absl::Status Begin();

  const OutputFilesOptions options_;
  const Clock& clock_;
  const std::function<std::string(std::string_view)> first_record_;
  std::unique_ptr<OutputFile> file_;
  uint32_t made_ = 0;
};

}  // namespace orbweaver
