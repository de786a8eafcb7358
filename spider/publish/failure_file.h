// Requests that failed, kept in files: failures.jsonl.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/model/arena.h"
#include "spider/publish/line_converter.h"
#include "spider/publish/line_files.h"
#include "spider/publish/publish_options.h"

namespace orbweaver {

// Place: in the spider's core, where all failures come by: those of lanes and those of requests
// that never reached one. Not thread-safe.
class FailureFile {
 public:
  // nullptr when none is configured. `writer`, `clock` and `converter` as in Archive.
  static std::unique_ptr<FailureFile> Create(const ArchiveOptions& options, std::string_view writer,
                                             const Clock& clock,
                                             std::shared_ptr<LineConverter> converter = nullptr);

  // A line for `entry`, a FetchFailed as it goes to the spider log. Fatal when it cannot be
  // written.
  absl::Status Keep(std::string_view entry);

  absl::Status Finish();

 private:
  FailureFile(const ArchiveOptions& options, std::string_view writer, const Clock& clock,
              std::shared_ptr<LineConverter> converter)
      : converter_(std::move(converter)), lines_(options, "failures", writer, clock, converter_) {}

  const std::shared_ptr<LineConverter> converter_;
  LineFiles lines_;
  Arena arena_;
  std::string line_;
};

}  // namespace orbweaver
