// How long a phase of a batch took.
#pragma once

#include "common/base/clock.h"
#include "common/metrics/metric.h"

namespace orbweaver {

// Observes the seconds from its construction to its end.
class PhaseTimer {
 public:
  PhaseTimer(const Clock& clock, Histogram& seconds)
      : clock_(clock), seconds_(seconds), start_(clock.Now()) {}
  ~PhaseTimer() { seconds_.Observe(std::chrono::duration<double>(clock_.Now() - start_).count()); }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  const Clock& clock_;
  Histogram& seconds_;
  const SteadyTime start_;
};

}  // namespace orbweaver
