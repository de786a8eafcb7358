// The strategy worker's core under kills, zombies, rebalances and lies, by seed. A seed that fails
// becomes a test of its own.
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "common/base/log.h"
#include "tests/sim/strategy_worker_sim.h"

namespace orbweaver {
namespace {

// ORBWEAVER_SIM_SEEDS: how many; ORBWEAVER_SIM_FIRST: from which on.
uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class StrategyWorkerSim : public ::testing::Test {
 protected:
  StrategyWorkerSim() { ConfigureLog({.level = LogLevel::kError, .repeats_per_ten_seconds = 1}); }

  // How many of so many seeds fail.
  static int Failures(SwitchedOff rule, uint64_t seeds) {
    int failures = 0;
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      if (!SimulateStrategyWorkers(seed, rule).failure.empty()) ++failures;
    }
    return failures;
  }
};

TEST_F(StrategyWorkerSim, EveryScheduledUrlIsInTheLogExactlyOncePerEventAndTheStatesAgree) {
  const uint64_t first = FromEnvironment("ORBWEAVER_SIM_FIRST", 0);
  const uint64_t seeds = FromEnvironment("ORBWEAVER_SIM_SEEDS", 300);
  SimResult all;
  int failures = 0;
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    const SimResult result = SimulateStrategyWorkers(seed);
    EXPECT_EQ(result.failure, "") << "seed " << seed;
    if (!result.failure.empty() && ++failures == 10) break;
    all.kills += result.kills;
    all.freezes += result.freezes;
    all.rebuilds += result.rebuilds;
    all.take_overs += result.take_overs;
    all.resent += result.resent;
    all.replayed += result.replayed;
  }
  std::printf("%d kills, %d freezes, %d rebuilds, %d take-overs, %d resent, %d replayed\n",
              all.kills, all.freezes, all.rebuilds, all.take_overs, all.resent, all.replayed);
  if (seeds < 100) return;
  // The runs must have been worth something.
  EXPECT_GT(all.kills, 0);
  EXPECT_GT(all.freezes, 0);
  EXPECT_GT(all.rebuilds, 0);
  EXPECT_GT(all.resent, 0);
  EXPECT_GT(all.replayed, 0);
}

// Each rule of the protocol is needed: without it some run fails.
TEST_F(StrategyWorkerSim, NoticesAWorkerWithoutOutboxes) {
  EXPECT_GT(Failures(SwitchedOff::kOutbox, 60), 0);
}
TEST_F(StrategyWorkerSim, NoticesAReaderThatIgnoresMarkers) {
  EXPECT_GT(Failures(SwitchedOff::kEpochs, 150), 0);
}
TEST_F(StrategyWorkerSim, NoticesAReaderWithoutWatermarks) {
  EXPECT_GT(Failures(SwitchedOff::kWatermarks, 60), 0);
}
TEST_F(StrategyWorkerSim, NoticesPutsWithoutVersions) {
  EXPECT_GT(Failures(SwitchedOff::kVersions, 150), 0);
}
TEST_F(StrategyWorkerSim, NoticesAWorkerThatDoesNotLookWhetherItIsStillTheOwner) {
  EXPECT_GT(Failures(SwitchedOff::kStillOwner, 150), 0);
}
TEST_F(StrategyWorkerSim, NoticesAWorkerThatDoesNotWaitForAcks) {
  EXPECT_GT(Failures(SwitchedOff::kAwaitAcks, 150), 0);
}
TEST_F(StrategyWorkerSim, NoticesAWorkerThatCommitsFirst) {
  EXPECT_GT(Failures(SwitchedOff::kCommitLast, 60), 0);
}

}  // namespace
}  // namespace orbweaver
