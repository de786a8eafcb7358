// The crawler in a hostile world, in virtual time: spiders, strategy workers and db workers on a
// small web, or those of one kind alone. A seed decides what the world looks like, who runs when,
// and what goes wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/sim/whole/fault_plan.h"

namespace orbweaver::sim {

struct SimReport {
  // Empty, or the first guarantee that did not hold: "lost: URL".
  std::string failure;
  // Single faults in their order: when, which, whom.
  struct Event {
    int number = 0;  // of the fault; -1: of the run
    std::string text;
  };
  std::vector<Event> trace;
  // Of all that the logs hold: the same for the same seed and plan.
  uint64_t digest = 0;
  // Figures that show whether the run was worth something.
  FaultPlan plan;  // the kinds that the seed has drawn
  uint64_t steps = 0;
  uint64_t records = 0;  // in the logs
  uint64_t visits = 0;   // of the web
  int faults = 0;
};

// Deterministic: the same arguments, the same report.
SimReport Simulate(uint64_t seed, const FaultPlan& plan);

}  // namespace orbweaver::sim
