// A time as programs write it down: milliseconds since 1970.
#pragma once

#include <cstdint>

#include "common/base/clock.h"

namespace orbweaver {

inline int64_t UnixMs(WallTime time) { return time.time_since_epoch().count(); }

}  // namespace orbweaver
