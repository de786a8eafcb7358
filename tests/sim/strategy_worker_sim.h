// Strategy workers in a hostile world: a seed decides what the log holds, who runs, and when
// anybody is killed, frozen, cut off or lied to. In the end the books must balance.
#pragma once

#include <cstdint>
#include <string>

#include "tests/sim/sim_crawl.h"

namespace orbweaver {

enum class SwitchedOff {
  kNothing,
  kOutbox,
  kEpochs,      // readers ignore markers
  kWatermarks,  // readers ignore what they applied already
  kVersions,
  kCommitFencing,  // the group takes commits of former owners: does no harm by itself
  kAwaitAcks,
  kCommitLast,
};

struct SimResult {
  std::string failure;  // empty: the books balance
  // Counts of what happened, so that a test can see that the run was worth something.
  int kills = 0, freezes = 0, rebuilds = 0, take_overs = 0, resent = 0, replayed = 0;
};

// `crawl` is a new one.
SimResult SimulateStrategyWorkers(uint64_t seed, SimCrawl& crawl,
                                  SwitchedOff rule = SwitchedOff::kNothing);

}  // namespace orbweaver
