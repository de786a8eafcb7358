// How long to wait before the next try: doubling, bounded, with jitter so that many who failed
// together do not come back together.
//
// The one formula of the product: whatever doubles its waits after failures computes them here.
// `jitter` is always a share of the wait that is added to it, so nobody waits for less than the
// wait that was configured.
#pragma once

#include <cstdint>

#include "common/base/clock.h"
#include "common/base/random.h"

namespace orbweaver {

struct BackoffOptions {
  Duration first = std::chrono::milliseconds(50);
  // Bounds what is doubled, `first` too; the jitter is added to that.
  Duration most = std::chrono::seconds(5);
  // Up to this share of a wait is added.
  double jitter = 1.0;
};

// The wait after a failure that `failures` others precede in a row: `first` doubled as often, at
// most `most`, and of the jitter the share `drawn`, from 0 to 1. Never overflows.
Duration BackoffWait(const BackoffOptions& options, uint32_t failures, double drawn);

// Counts the failures and draws the jitter. Not thread-safe.
class Backoff {
 public:
  Backoff(const BackoffOptions& options, uint64_t seed) : options_(options), random_(seed) {}

  // The wait before the next try; longer at each call up to the bound.
  Duration Next();

  // After a success.
  void Reset() { failures_ = 0; }

 private:
  const BackoffOptions options_;
  Random random_;
  uint32_t failures_ = 0;
};

}  // namespace orbweaver
