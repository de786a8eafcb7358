// The faults of one process's calls, drawn when it starts.
#pragma once

#include "common/base/random.h"
#include "tests/sim/whole/shape.h"
#include "tests/sim/whole/sim_process.h"

namespace orbweaver::sim {

// Of the kinds that `shape` has, into the options of a process that has its role.
void DrawCallFaults(const Shape& shape, Random& random, SimProcessOptions* options);

}  // namespace orbweaver::sim
