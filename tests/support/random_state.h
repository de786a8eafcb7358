// Link states for tests and benchmarks: now plain, now with everything that one can have.
#pragma once

#include <string>

#include "common/base/random.h"
#include "strategy_worker/states/link_state.h"

namespace orbweaver {

inline LinkState RandomState(Random& random) {
  using std::chrono::milliseconds;
  LinkState state;
  state.status = static_cast<LinkStatus>(random.Below(5));
  state.depth = static_cast<uint32_t>(random.Below(20));
  if (random.Chance(0.3)) state.data[random.Below(8)] = static_cast<uint8_t>(random.Below(256));
  if (random.Chance(0.3)) {
    state.due_at = WallTime(milliseconds(random.Below(uint64_t{1} << 42)));
  }
  if (random.Chance(0.7)) return state;
  state.fetches = static_cast<uint32_t>(random.Below(300));
  state.errors = static_cast<uint32_t>(random.Below(3));
  state.http_status = static_cast<uint16_t>(random.Below(600));
  state.fetched_at = WallTime(milliseconds(random.Below(uint64_t{1} << 42)));
  state.content_hash = random();
  if (random.Chance(0.5)) state.etag = std::string(random.Below(40), 'e');
  if (random.Chance(0.5)) state.last_modified = "Sat, 21 Nov 2026 11:11:55 GMT";
  return state;
}

}  // namespace orbweaver
