#include "spider/politeness/back_off.h"

#include <algorithm>

namespace orbweaver {

void BackOff::Complain(const BackOffOptions& options, std::optional<Duration> retry_after,
                       SteadyTime now, Random& random) {
  if (Forgiven(options, now)) complaints_ = 0;
  Duration wait;
  if (retry_after) {
    wait = std::clamp(*retry_after, Duration{}, options.most);
  } else {
    wait = std::min(options.first, options.most);
    for (uint32_t i = 0; i < complaints_ && wait < options.most; ++i) {
      wait = wait > options.most / 2 ? options.most : wait * 2;
    }
    ++complaints_;
    const double more = static_cast<double>(wait.count()) * options.jitter * random.Unit();
    wait += Duration(static_cast<int64_t>(more));
  }
  blocked_until_ = std::max(blocked_until_, now + wait);
}

}  // namespace orbweaver
