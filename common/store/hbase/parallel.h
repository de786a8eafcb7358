// A few threads that share the work of the calls in progress.
#pragma once

#include <cstddef>
#include <deque>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"

namespace orbweaver {

// Place: below HBaseStore, whose large calls are many Thrift calls. Thread-safe.
class Parallel {
 public:
  // With 0 threads everything is done by those who call Run.
  explicit Parallel(int threads);
  // No Run may be in progress.
  ~Parallel();
  Parallel(const Parallel&) = delete;
  Parallel& operator=(const Parallel&) = delete;

  // Calls `work` with each of 0 … count-1, once, in any order and at the same time, also on this
  // thread; returns when all are done.
  void Run(size_t count, absl::FunctionRef<void(size_t)> work) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Batch {
    absl::FunctionRef<void(size_t)> work;
    size_t count;
    size_t next = 0;
    size_t done = 0;
  };

  // Does one piece of `batch`, which has one.
  void DoOne(Batch& batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ThreadMain() ABSL_LOCKS_EXCLUDED(mutex_);

  absl::Mutex mutex_;
  std::deque<Batch*> waiting_ ABSL_GUARDED_BY(mutex_);  // those with pieces not begun
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace orbweaver
