// How long a URL waits before it is tried again: for strategies, and for the worker's own requests.
#pragma once

#include <algorithm>
#include <cstdint>

namespace orbweaver::sdk {

// After a failure that `attempt` others precede: `first_ms` doubled as often, not before the server
// wants it (`retry_after_ms`, -1: it did not say), and never longer than `most_ms`.
inline int64_t RetryDelayMs(int64_t first_ms, int64_t most_ms, uint32_t attempt,
                            int64_t retry_after_ms) {
  int64_t wait = first_ms;
  // A millisecond doubled so often is longer than any time.
  for (uint32_t i = std::min(attempt, 62u); i > 0 && wait < most_ms; --i) {
    wait = wait > most_ms / 2 ? most_ms : wait * 2;
  }
  return std::min(std::max(wait, retry_after_ms), most_ms);
}

}  // namespace orbweaver::sdk
