// Wall time that never jumps: what due times, blocks and delays are compared with.
#pragma once

#include "common/base/clock.h"

namespace orbweaver {

// The machine's wall time when this was made, moved on by its steady clock. So a clock that is set
// while the worker runs neither releases a domain's requests at once nor holds them back; the
// worker sees the new time when it starts anew. As thread-safe as the clock.
class SteadyWall {
 public:
  // `clock` must outlive it.
  explicit SteadyWall(const Clock& clock)
      : clock_(clock), wall_start_(clock.Wall()), steady_start_(clock.Now()) {}

  WallTime Now() const {
    return wall_start_ +
           std::chrono::floor<std::chrono::milliseconds>(clock_.Now() - steady_start_);
  }

 private:
  const Clock& clock_;
  const WallTime wall_start_;
  const SteadyTime steady_start_;
};

}  // namespace orbweaver
