// Amounts as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/clock.h"

namespace orbweaver {

// "1.4 MB".
std::string Bytes(uint64_t bytes);
// "3 h 12 min".
std::string Time(Duration duration);
// "12,345".
std::string Count(uint64_t count);
// "1 page", "2 pages".
std::string Count(uint64_t count, std::string_view thing);

}  // namespace orbweaver
