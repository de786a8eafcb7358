#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "common/base/clock.h"

namespace orbweaver {

// How long a Retry-After asks to wait from `now` (RFC 9110, section 10.2.3): seconds, or a date in
// the one form that HTTP writes; zero for a date that has passed. nullopt for anything else.
// At most a year.
std::optional<std::chrono::milliseconds> RetryAfter(std::string_view value, WallTime now);

}  // namespace orbweaver
