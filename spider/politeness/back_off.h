// How long a domain is left alone after it has asked for that.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "common/base/clock.h"
#include "common/base/random.h"

namespace orbweaver {

struct BackOffOptions {
  Duration first = std::chrono::seconds(60);
  // Bounds Retry-After too.
  Duration most = std::chrono::hours(24);
  // Up to this share is added, so that domains that failed together do not come back together.
  double jitter = 0.1;
  // After this long without another complaint the next one counts as the first.
  Duration forgiven_after = std::chrono::minutes(30);
};

// Place: in Politeness, one a domain. Not thread-safe.
class BackOff {
 public:
  // The domain has answered 429 or 503. Without `retry_after` each complaint doubles the wait; with
  // it the domain is taken at its word. Never shortens a wait that was asked for before.
  void Complain(const BackOffOptions& options, std::optional<Duration> retry_after, SteadyTime now,
                Random& random);

  // The domain has asked another spider to wait. Never shortens a wait either.
  void BlockUntil(SteadyTime until) { blocked_until_ = std::max(blocked_until_, until); }

  // Nothing may be requested before; in the past when nothing is asked for.
  SteadyTime blocked_until() const { return blocked_until_; }

  // Whether a new BackOff would behave as this one from now on.
  bool Forgiven(const BackOffOptions& options, SteadyTime now) const {
    return blocked_until_ == SteadyTime::min() || now - blocked_until_ >= options.forgiven_after;
  }

 private:
  SteadyTime blocked_until_ = SteadyTime::min();
  uint32_t complaints_ = 0;  // that were not forgiven, without Retry-After
};

}  // namespace orbweaver
