// Finished files of lines become Parquet files, in the background.
#pragma once

#include <deque>
#include <memory>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"

#include "spider/publish/output_file.h"

namespace orbweaver {

// Place: one in a spider, below the LineFiles of all its lanes, whose fetches must not stand still
// for the second that a file takes. Has one thread, so that memory is that of one conversion. Files
// that still wait when this ends stay as lines, and the next start converts them. Thread-safe.
class LineConverter {
 public:
  LineConverter();
  ~LineConverter();

  // Takes a whole file of lines, and returns once fewer than kMaxWaiting wait. The status is that
  // of the first file that could not be converted.
  absl::Status Add(std::unique_ptr<OutputFile> lines);

  // Returns when all are converted; the status likewise.
  absl::Status Wait();

  // Files, each with a descriptor.
  static constexpr size_t kMaxWaiting = 16;

 private:
  void Run();

  absl::Mutex mutex_;
  std::deque<std::unique_ptr<OutputFile>> waiting_ ABSL_GUARDED_BY(mutex_);
  bool is_busy_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_ending_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status failed_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace orbweaver
