#include "common/base/backoff.h"

#include <algorithm>

namespace orbweaver {

Backoff::Backoff(const BackoffOptions& options, uint64_t seed) : options_(options), random_(seed) {
  Reset();
}

void Backoff::Reset() { nominal_ = std::min(options_.first, options_.most); }

Duration Backoff::Next() {
  const double share = 1.0 - options_.jitter * random_.Unit();
  const auto wait = std::chrono::duration_cast<Duration>(nominal_ * share);
  nominal_ =
      std::min(options_.most, std::chrono::duration_cast<Duration>(nominal_ * options_.factor));
  return wait;
}

}  // namespace orbweaver
