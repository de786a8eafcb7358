#include "tests/sim/whole/shrink.h"

#include <utility>

#include "fmt/format.h"

#include "common/base/check.h"

namespace orbweaver::sim {

Shrunk Shrink(uint64_t seed, const FaultPlan& plan) {
  Shrunk least{.plan = plan, .report = Simulate(seed, plan), .runs = 1};
  CHECK(!least.report.failure.empty());
  const auto try_plan = [&](FaultPlan smaller) {
    ++least.runs;
    SimReport report = Simulate(seed, smaller);
    if (report.failure.empty()) return false;
    least.plan = std::move(smaller);
    least.report = std::move(report);
    return true;
  };
  // A fault that is needed beside another may go once that one has gone: tries until nothing can
  // go.
  for (bool smaller = true; smaller;) {
    smaller = false;
    // Of single faults each is tried: without their kind the others would be drawn anew.
    for (size_t i = kSingleFaultKinds; i < kFaultKinds; ++i) {
      if (!least.plan.kinds.test(i) || !least.report.plan.kinds.test(i)) continue;
      FaultPlan without = least.plan;
      without.kinds.reset(i);
      smaller |= try_plan(std::move(without));
    }
    // From the last one on: those behind it keep their numbers.
    const std::vector<SimReport::Event> events = least.report.trace;
    for (auto event = events.rbegin(); event != events.rend(); ++event) {
      if (event->number < 0 || least.plan.skipped.contains(event->number)) continue;
      FaultPlan without = least.plan;
      without.skipped.insert(event->number);
      smaller |= try_plan(std::move(without));
    }
  }
  // Kinds that the seed does not have are nothing to tell.
  least.plan.kinds &= least.report.plan.kinds;
  return least;
}

std::string Describe(const FaultPlan& plan) {
  std::string text;
  for (size_t i = kSingleFaultKinds; i < kFaultKinds; ++i) {
    if (!plan.kinds.test(i)) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", NameOf(static_cast<FaultKind>(i)));
  }
  if (text.empty()) text = "calm surroundings";
  return fmt::format("{}; {} single faults left out", text, plan.skipped.size());
}

}  // namespace orbweaver::sim
