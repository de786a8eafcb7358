// Whether messages and states can carry what a strategy decided.
#pragma once

#include <cstddef>
#include <span>

#include "strategy_worker/sdk/strategy_abi.h"

namespace orbweaver {

// What a strategy may ask for beside an event's links: more is a strategy out of control.
inline constexpr size_t kMaxRequestsPerEvent = 10'000;

// What is wrong with the outcome of one event, to follow "it decided"; null when nothing is. What
// has passed needs no second look. Whether a requested URL is of the event's domain is left to the
// core: it canonicalises.
//
// Place: every implementation of Strategy, behind its OnEvent.
const char* OutputFlaw(std::span<const orbweaver_decision> decisions,
                       const orbweaver_output& output);

}  // namespace orbweaver
