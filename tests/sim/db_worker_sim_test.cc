#include "tests/sim/db_worker_sim.h"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "common/base/log.h"

namespace orbweaver {
namespace {

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class DbWorkerSim : public ::testing::Test {
 protected:
  DbWorkerSim() { ConfigureLog({.level = LogLevel::kError, .repeats_per_ten_seconds = 1}); }

  // The first seed whose run fails, with what failed.
  static std::string FirstFailure(uint64_t seeds, BrokenRule rule) {
    const uint64_t first = FromEnvironment("ORBWEAVER_SIM_FIRST_SEED", 1);
    for (uint64_t seed = first; seed < first + seeds; ++seed) {
      const std::string complaint = SimulateDbWorkers(seed, rule);
      if (!complaint.empty()) return "seed " + std::to_string(seed) + ": " + complaint;
    }
    return {};
  }
  static void ExpectNoticed(BrokenRule rule) { EXPECT_NE(FirstFailure(400, rule), ""); }
};

TEST_F(DbWorkerSim, WhatIsScheduledLeavesExactlyOnceWithinItsCaps) {
  const uint64_t seeds = FromEnvironment("ORBWEAVER_SIM_SEEDS", 200);
  EXPECT_EQ(FirstFailure(seeds, BrokenRule::kNothing), "");
}

// A partition goes while what was taken out of its chunks is marked, and the group is due: once the
// worker called for more of it without end.
TEST_F(DbWorkerSim, APartitionThatGoesWhileItIsMarkedIsGivenAway) {
  EXPECT_EQ(SimulateDbWorkers(1132, BrokenRule::kNothing), "");
}

TEST_F(DbWorkerSim, NoticesIgnoredWatermarks) { ExpectNoticed(BrokenRule::kWatermarks); }
TEST_F(DbWorkerSim, NoticesIgnoredEpochs) { ExpectNoticed(BrokenRule::kEpochs); }
TEST_F(DbWorkerSim, NoticesThatNobodyAsksForTheOwner) { ExpectNoticed(BrokenRule::kStillOwner); }
TEST_F(DbWorkerSim, NoticesThatTheFeedIsNotReadBack) { ExpectNoticed(BrokenRule::kReadBack); }
TEST_F(DbWorkerSim, NoticesACheckpointBeforeTheHeads) { ExpectNoticed(BrokenRule::kHeadsFirst); }
TEST_F(DbWorkerSim, NoticesACommitBeforeThePuts) { ExpectNoticed(BrokenRule::kCommitLast); }
TEST_F(DbWorkerSim, NoticesThatAcksAreNotAwaited) { ExpectNoticed(BrokenRule::kAwaitAcks); }
TEST_F(DbWorkerSim, NoticesPutsWithoutVersions) { ExpectNoticed(BrokenRule::kVersions); }

}  // namespace
}  // namespace orbweaver
