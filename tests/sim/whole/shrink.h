// The least that goes wrong in a failing run.
#pragma once

#include <cstdint>
#include <string>

#include "tests/sim/whole/fault_plan.h"
#include "tests/sim/whole/simulation.h"

namespace orbweaver::sim {

struct Shrunk {
  FaultPlan plan;
  SimReport report;  // of that plan; it fails
  int runs = 0;
};

// Takes kinds of faults, and then single ones, out of `plan` as long as `seed` fails without them,
// whatever it then fails of. It must fail with `plan`.
Shrunk Shrink(uint64_t seed, const FaultPlan& plan);

// The kinds of faults in the plan, and the number of single faults that are left out; the trace has
// those that happen.
std::string Describe(const FaultPlan& plan);

}  // namespace orbweaver::sim
