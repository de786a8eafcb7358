// How those who wait hear that something changed: a counter that they look at before they check for
// work, and wait on afterwards, so that no change between the two is missed.
#pragma once

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

#include "common/base/clock.h"

namespace orbweaver {

// Thread-safe.
class Signal {
 public:
  uint64_t count() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return count_;
  }

  void Raise() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    ++count_;
    raised_.SignalAll();
  }

  // Returns when the count is no longer `seen`, or after `timeout`.
  void Await(uint64_t seen, Duration timeout) ABSL_LOCKS_EXCLUDED(mutex_) {
    const absl::Time deadline = absl::Now() + absl::FromChrono(timeout);
    absl::MutexLock lock(&mutex_);
    while (count_ == seen && !raised_.WaitWithDeadline(&mutex_, deadline)) {
    }
  }

 private:
  mutable absl::Mutex mutex_;
  absl::CondVar raised_;
  uint64_t count_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace orbweaver
