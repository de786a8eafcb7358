// Requests that failed, kept in files: failures.jsonl.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/model/arena.h"
#include "spider/publish/line_files.h"
#include "spider/publish/publish_options.h"

namespace orbweaver {

// Place: in the spider's core, where all failures come by: those of lanes and those of requests
// that never reached one. Not thread-safe.
class FailureFile {
 public:
  // nullptr when none is configured. `writer` and `clock` as in Archive.
  static std::unique_ptr<FailureFile> Create(const ArchiveOptions& options, std::string_view writer,
                                             const Clock& clock);

  // A line for `entry`, a FetchFailed as it goes to the spider log. Fatal when it cannot be
  // written.
  absl::Status Keep(std::string_view entry);

  absl::Status Finish() { return lines_.Finish(); }

 private:
  FailureFile(const ArchiveOptions& options, std::string_view writer, const Clock& clock)
      : lines_(options, "failures", writer, clock) {}

  LineFiles lines_;
  Arena arena_;
  std::string line_;
};

}  // namespace orbweaver
