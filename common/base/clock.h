// Time, injected: production reads the system's clocks, the simulator and the tests set their own.
#pragma once

#include <chrono>

namespace orbweaver {

using Duration = std::chrono::nanoseconds;
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;
using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  // Never goes back; for delays and deadlines within a process.
  virtual SteadyTime Now() const = 0;

  // Shared by machines, and may jump; for what is written down (due times, fetch times).
  virtual WallTime Wall() const = 0;
};

// The system's clocks. The reference stays valid for the life of the process.
const Clock& SystemClock();

// Both clocks move only when told to. Not thread-safe: simulation and tests run on one thread.
class ManualClock : public Clock {
 public:
  explicit ManualClock(WallTime start = WallTime(std::chrono::hours(24 * 365 * 50)))
      : wall_(start) {}

  SteadyTime Now() const override { return steady_; }
  WallTime Wall() const override { return wall_; }

  void Advance(Duration by) {
    steady_ += by;
    elapsed_ += by;
    const auto whole = std::chrono::floor<std::chrono::milliseconds>(elapsed_);
    elapsed_ -= whole;
    wall_ += whole;
  }
  // As when an administrator or NTP sets the clock.
  void JumpWall(std::chrono::milliseconds by) { wall_ += by; }

 private:
  SteadyTime steady_{};
  Duration elapsed_{};
  WallTime wall_;
};

}  // namespace orbweaver
