// Whether messages and states can carry what a strategy decided.
#pragma once

#include <cstddef>
#include <span>

#include "strategy_worker/sdk/strategy_abi.h"

namespace orbweaver {

// The most requests that a strategy may make for one event, besides the event's links: more means a
// strategy out of control.
inline constexpr size_t kMaxRequestsPerEvent = 10'000;

// The flaw of one event's outcome, worded to follow "it decided"; null when there is none. An
// outcome that passed needs no second check, but the core checks whether a requested URL is of the
// event's domain: it canonicalises.
//
// Place: every implementation of Strategy, behind its OnEvent.
const char* OutputFlaw(std::span<const orbweaver_decision> decisions,
                       const orbweaver_output& output);

// The same of the array of requests alone, before its elements may be looked at.
const char* RequestsFlaw(const orbweaver_output& output);

}  // namespace orbweaver
