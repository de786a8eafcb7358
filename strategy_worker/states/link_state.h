// The state of one URL.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "common/base/clock.h"

namespace orbweaver {

enum class LinkStatus : uint8_t {
  kNotCrawled = 0,
  kQueued = 1,
  kCrawled = 2,
  kError = 3,
  kGone = 4
};

// How many URLs have each status, by its value.
using StatusCounts = std::array<uint64_t, 5>;

// Never fetched: `fetches`, `errors` and all below them are 0. Such a state takes at most 24 bytes
// with its fingerprint in a block. packed_link.h says how values that the packed form cannot hold
// are bounded.
struct LinkState {
  LinkStatus status = LinkStatus::kNotCrawled;
  uint32_t depth = 0;
  std::array<uint8_t, 8> data{};  // the strategy's
  WallTime due_at;                // as the strategy set it; the epoch: not set

  uint32_t fetches = 0;  // successful ones
  uint32_t errors = 0;   // since the last success, or since it was scheduled anew
  uint16_t http_status = 0;
  WallTime fetched_at;
  uint64_t content_hash = 0;  // the low half
  std::string etag;
  std::string last_modified;

  friend bool operator==(const LinkState&, const LinkState&) = default;
};

// The status of a queued URL after it is taken out of the queue.
inline LinkStatus StatusOutOfQueue(const LinkState& state) {
  return state.fetches == 0 ? LinkStatus::kNotCrawled : LinkStatus::kCrawled;
}

}  // namespace orbweaver
