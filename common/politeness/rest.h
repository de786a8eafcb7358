// How long a domain is left alone that has asked for that: after 429 and 503, or by Retry-After.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/clock.h"

namespace orbweaver {

struct RestOptions {
  // Without Retry-After: the first rest; each further one is twice as long, up to `most`, which
  // bounds Retry-After too.
  Duration first = std::chrono::seconds(60);
  Duration most = std::chrono::hours(24);
  // Up to this share is added, so that domains that failed together do not come back together. For
  // rests without Retry-After only.
  double jitter = 0.1;
  // After so long without another rest the next one counts as the first.
  Duration forgiven_after = std::chrono::minutes(30);
};

// How long `domain` rests after it has backed off `back_offs` times in a row before. The jitter is
// drawn from the name and the count: spider and queue come to the same rest, without telling each
// other, and so does whoever applies the same update again after a crash.
Duration RestAfter(const RestOptions& options, std::string_view domain, uint32_t back_offs);

// How long a domain rests that has answered with Retry-After.
Duration RestAsAsked(const RestOptions& options, Duration retry_after);

// All that is known of a domain's rests. `Time` is SteadyTime in a process, or WallTime for times
// that are written down. A value: times are arguments, and `now` may go back when a clock is set.
template <typename Time>
struct DomainRest {
  // Nothing may be requested before; the epoch when no rest was asked for.
  Time until{};
  // The end of the last rest without Retry-After, and how many of those there were in a row.
  Time backed_off_until{};
  uint8_t back_offs = 0;

  // The domain has answered 429 or 503 without Retry-After. One that comes while it is backing off
  // was under way before: it counts once.
  void BackOff(const RestOptions& options, std::string_view domain, Time now);

  // The domain, or an operator, wants nothing to be requested before `at`. Never shortens a rest.
  void RestUntil(const RestOptions& options, Time at, Time now);

  // An operator lets it be requested at once, and forgives.
  void Lift() { *this = {}; }

  // Whether a new DomainRest would behave as this one from now on.
  bool IsForgiven(const RestOptions& options, Time now) const {
    return back_offs == 0 ? until <= now : now >= until && now - until >= options.forgiven_after;
  }

  friend bool operator==(const DomainRest&, const DomainRest&) = default;
};

extern template struct DomainRest<SteadyTime>;
extern template struct DomainRest<WallTime>;

}  // namespace orbweaver
