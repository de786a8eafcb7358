// The file of results, and the progress file beside it that makes a check go on where it stood.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/check/check_record.h"

namespace orbweaver {

// Results are written first, then their records; a record says how long the file of results is with
// its result. After a crash, records count that are whole and whose results are there; the rest of
// both files is cut off. So no result is there twice, and none that has a record is lost, at
// whatever moment the process ended.
//
// Place: behind CheckEngine. Not thread-safe; another process that opens the same files is refused.
class ResultLog {
 public:
  struct Purpose {
    std::string digest;    // of the list
    std::string options;   // all that gives results another meaning, on one line
    bool restart = false;  // what is there goes
  };
  // Told about every record that is there already, in the order of the file.
  using OnRecord = std::function<void(const CheckRecord& record)>;

  // `path`.progress is made beside it. Fatal, with both files as they were: they cannot be written,
  // another process has them, they are of another list or of other options, or `path` is a file
  // that no check made.
  static absl::StatusOr<std::unique_ptr<ResultLog>> Open(const std::string& path,
                                                         const Purpose& purpose,
                                                         const OnRecord& on_record);
  // Results go to `fd`, which stays the caller's, and cannot be gone on with.
  static std::unique_ptr<ResultLog> To(int fd, std::string name);
  ~ResultLog();

  // Whether a record was there when it was opened.
  bool IsDone(uint32_t line) const { return line < done_.size() && done_[line]; }

  // `text` is the result's line; empty: only its record is kept.
  void Add(std::string_view text, const CheckRecord& record);

  // Writes what was added. Fatal: that failed; nothing may be added any more.
  absl::Status Flush();
  // Also on disk when OK.
  absl::Status Sync();

 private:
  ResultLog(std::string path, int results, int records)
      : path_(std::move(path)), results_(results), records_(records) {}

  absl::Status ReadRecords(const Purpose& purpose, const OnRecord& on_record);
  absl::Status BeginAnew(const Purpose& purpose);
  std::string progress_path() const { return path_ + ".progress"; }

  const std::string path_;
  int results_ = -1;
  int records_ = -1;  // -1: none are kept
  bool owns_results_ = true;
  std::vector<bool> done_;
  uint64_t results_end_ = 0;  // with what is not flushed yet
  std::string results_text_;
  std::string records_text_;
};

}  // namespace orbweaver
