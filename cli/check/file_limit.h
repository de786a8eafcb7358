#pragma once

#include <cstdint>

namespace orbweaver {

// Brings the limit of open files of this process up to `wanted`, as far as the system lets it.
// Returns how many it may open now.
uint64_t RaiseFileLimit(uint64_t wanted);

}  // namespace orbweaver
