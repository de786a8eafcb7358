// How long to wait before the next try: doubling, bounded, with jitter so that many clients do not
// come back at once.
#pragma once

#include "common/base/clock.h"
#include "common/base/random.h"

namespace orbweaver {

struct BackoffOptions {
  Duration first = std::chrono::milliseconds(100);
  // Bounds `first` too.
  Duration most = std::chrono::seconds(10);
  double factor = 2.0;
  // Each wait is drawn from [1 - jitter, 1] of its nominal length.
  double jitter = 0.5;
};

// Not thread-safe.
class Backoff {
 public:
  Backoff(const BackoffOptions& options, uint64_t seed);

  // The wait before the next try; longer at each call up to `most`.
  Duration Next();

  // After a success.
  void Reset();

 private:
  const BackoffOptions options_;
  Random random_;
  Duration nominal_;
};

}  // namespace orbweaver
