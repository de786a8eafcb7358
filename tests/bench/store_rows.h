// Rows like those of the `domains` table, for the stores' benchmarks.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/random.h"

namespace orbweaver {

// Slot, reversed domain, 0x00, shard. The same for the same `i`, and in no order.
std::string BenchRow(uint64_t i);

// Like a block of link states: fingerprints, which do not compress, and states, which do.
std::string BenchValue(Random& random, size_t bytes);

}  // namespace orbweaver
