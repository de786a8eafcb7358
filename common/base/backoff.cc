#include "common/base/backoff.h"

#include <algorithm>

namespace orbweaver {
namespace {

// A nanosecond doubled so often is longer than any Duration.
constexpr uint32_t kMostDoublings = 63;

}  // namespace

Duration BackoffWait(const BackoffOptions& options, uint32_t failures, double drawn) {
  Duration wait = std::min(options.first, options.most);
  for (uint32_t i = std::min(failures, kMostDoublings); i > 0 && wait < options.most; --i) {
    wait = wait > options.most / 2 ? options.most : wait * 2;
  }
  const double more = static_cast<double>(wait.count()) * options.jitter * drawn;
  return wait + Duration(static_cast<int64_t>(more));
}

Duration Backoff::Next() {
  const Duration wait = BackoffWait(options_, failures_, random_.Unit());
  failures_ = std::min(failures_ + 1, kMostDoublings);
  return wait;
}

}  // namespace orbweaver
