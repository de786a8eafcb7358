#include "common/politeness/rest.h"

#include <algorithm>
#include <limits>

#include "common/base/backoff.h"
#include "common/url/fingerprint.h"

namespace orbweaver {

Duration RestAfter(const RestOptions& options, std::string_view domain, uint32_t back_offs) {
  const double drawn = Random(FingerprintOf(domain).low + back_offs).Unit();
  return BackoffWait({.first = options.first, .most = options.most, .jitter = options.jitter},
                     back_offs, drawn);
}

Duration RestAsAsked(const RestOptions& options, Duration retry_after) {
  return std::clamp(retry_after, Duration::zero(), options.most);
}

template <typename Time>
void DomainRest<Time>::BackOff(const RestOptions& options, std::string_view domain, Time now) {
  if (now < backed_off_until) return;
  if (IsForgiven(options, now)) back_offs = 0;
  // Never shorter than it is in finer units.
  backed_off_until =
      now + std::chrono::ceil<typename Time::duration>(RestAfter(options, domain, back_offs));
  if (back_offs < std::numeric_limits<uint8_t>::max()) ++back_offs;
  until = std::max(until, backed_off_until);
}

template <typename Time>
void DomainRest<Time>::RestUntil(const RestOptions& options, Time at, Time now) {
  if (IsForgiven(options, now)) back_offs = 0;
  until = std::max(until, at);
}

template struct DomainRest<SteadyTime>;
template struct DomainRest<WallTime>;

}  // namespace orbweaver
