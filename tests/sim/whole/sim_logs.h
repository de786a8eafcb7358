// Figures of a run's three logs, for the driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/sim/whole/sim_run.h"

namespace orbweaver::sim {

// Grows with every record.
uint64_t RecordsOf(SimRun& run);

// How often a partition was taken over.
size_t MarkersOf(SimRun& run);

// Empty, or which logs are not read to their ends by those who read them in this run.
std::string UnreadOf(SimRun& run);

// Of all that stands in them.
uint64_t DigestOf(SimRun& run);

}  // namespace orbweaver::sim
