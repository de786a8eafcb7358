// The guarantees that must hold of a run of the whole crawler when all is at rest.
#pragma once

#include <string>

#include "tests/sim/whole/sim_run.h"

namespace orbweaver::sim {

// Empty, or the first guarantee that did not hold.
std::string AuditWhole(SimRun& run);

}  // namespace orbweaver::sim
