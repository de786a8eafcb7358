// Where the time of a worker's thread goes: into work, or into waiting for others.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/clock.h"
#include "common/metrics/metric_registry.h"

namespace orbweaver {

// Seconds since the process began. Gauges, since counters are whole numbers, and reports to topic
// `stats` have them every few seconds.
struct StageTimes {
  // orbweaver_NAME_stage_seconds. `registry` must outlive it.
  StageTimes(MetricRegistry& registry, std::string_view name);

  Gauge& busy;
  Gauge& waits_for_input;  // nothing comes that could be worked on
  // Results are not taken, by the store, the log or a full feed; or store or log do not answer.
  Gauge& waits_for_output;
};

enum class StageState : uint8_t { kOutside, kBusy, kWaitsForInput, kWaitsForOutput };

// Place: in a worker's core, entered by each step. Not thread-safe; costs a look at the clock for
// each change.
class StageClock {
 public:
  // Both must outlive it.
  StageClock(StageTimes& times, const Clock& clock) : times_(times), clock_(clock) {}

  StageState state() const { return state_; }
  // The time since the last change goes to the state that ends.
  void Enter(StageState state);

 private:
  StageTimes& times_;
  const Clock& clock_;
  StageState state_ = StageState::kOutside;
  SteadyTime entered_{};
};

// Is in a state until its end, and then in the one before.
class StageScope {
 public:
  StageScope(StageClock& clock, StageState state) : clock_(clock), before_(clock.state()) {
    clock_.Enter(state);
  }
  ~StageScope() { clock_.Enter(before_); }
  StageScope(const StageScope&) = delete;
  StageScope& operator=(const StageScope&) = delete;

 private:
  StageClock& clock_;
  const StageState before_;
};

}  // namespace orbweaver
