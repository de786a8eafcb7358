#pragma once

#include <algorithm>

#include "common/base/clock.h"

namespace orbweaver {

// A clock for the deadlines of servers. It stands still while nobody looks at their sockets: this
// process was stopped, the machine gave it no time, a page took long to parse. None of that is a
// server's fault.
//
// Place: in HttpFetcher, which looks some times a second. Not thread-safe.
class AttentiveClock : public Clock {
 public:
  // Between two looks at most `most` passes. `clock` must outlive this.
  AttentiveClock(const Clock& clock, Duration most)
      : clock_(clock), most_(most), looked_(clock.Now()), time_(looked_) {}

  SteadyTime Now() const override { return time_ + std::min(clock_.Now() - looked_, most_); }
  WallTime Wall() const override { return clock_.Wall(); }

  void Look() {
    time_ = Now();
    looked_ = clock_.Now();
  }

 private:
  const Clock& clock_;
  const Duration most_;
  SteadyTime looked_;
  SteadyTime time_;  // then
};

}  // namespace orbweaver
