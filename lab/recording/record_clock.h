// The clock of a log that a recording is imported into.
#pragma once

#include <atomic>
#include <cstdint>

#include "common/base/clock.h"

namespace orbweaver::lab {

// Records are dated when they were first written, for a log that dates by this clock. Until the
// first of them, and after Release, it is the system's. Thread-safe.
class RecordClock : public Clock {
 public:
  SteadyTime Now() const override { return SystemClock().Now(); }
  WallTime Wall() const override {
    const int64_t ms = ms_.load(std::memory_order_relaxed);
    return ms == kNone ? SystemClock().Wall() : WallTime(std::chrono::milliseconds(ms));
  }

  void Set(WallTime time) { ms_.store(time.time_since_epoch().count(), std::memory_order_relaxed); }
  void Release() { ms_.store(kNone, std::memory_order_relaxed); }

 private:
  static constexpr int64_t kNone = INT64_MIN;
  std::atomic<int64_t> ms_ = kNone;
};

}  // namespace orbweaver::lab
