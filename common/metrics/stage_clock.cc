#include "common/metrics/stage_clock.h"

#include <chrono>
#include <string>

namespace orbweaver {
namespace {

Gauge& Seconds(MetricRegistry& registry, std::string_view name, const char* state) {
  return registry.AddGauge("orbweaver_" + std::string(name) + "_stage_seconds",
                           "Time that the worker was busy, or waited for input or for its output "
                           "to be taken",
                           {{"state", state}});
}

}  // namespace

StageTimes::StageTimes(MetricRegistry& registry, std::string_view name)
    : busy(Seconds(registry, name, "busy")),
      waits_for_input(Seconds(registry, name, "waits_for_input")),
      waits_for_output(Seconds(registry, name, "waits_for_output")) {}

void StageClock::Enter(StageState state) {
  const SteadyTime now = clock_.Now();
  const double passed = std::chrono::duration<double>(now - entered_).count();
  if (state_ == StageState::kBusy) times_.busy.Add(passed);
  if (state_ == StageState::kWaitsForInput) times_.waits_for_input.Add(passed);
  if (state_ == StageState::kWaitsForOutput) times_.waits_for_output.Add(passed);
  state_ = state;
  entered_ = now;
}

}  // namespace orbweaver
