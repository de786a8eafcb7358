#include "tests/sim/whole/simulation.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "common/base/log.h"

namespace orbweaver::sim {
namespace {

// ORBWEAVER_SIM_SEEDS: how many; ORBWEAVER_SIM_FIRST_SEED: from which on.
uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}
uint64_t Seeds(uint64_t otherwise) { return FromEnvironment("ORBWEAVER_SIM_SEEDS", otherwise); }

class SimulationTest : public ::testing::Test {
 protected:
  SimulationTest() { ConfigureLog({.level = LogLevel::kError, .repeats_per_ten_seconds = 1}); }

  // Expects that `count` seeds hold; how many single faults there were.
  static int ExpectToHold(uint64_t count, const FaultPlan& plan) {
    const uint64_t first = FromEnvironment("ORBWEAVER_SIM_FIRST_SEED", 1);
    int faults = 0;
    for (uint64_t seed = first; seed < first + count; ++seed) {
      const SimReport report = Simulate(seed, plan);
      EXPECT_EQ(report.failure, "") << "seed " << seed;
      EXPECT_GT(report.records, 5u) << "seed " << seed;
      faults += report.faults;
    }
    return faults;
  }
  static void ExpectTheSameRuns(uint64_t count, const FaultPlan& plan) {
    for (uint64_t seed = 1; seed <= count; ++seed) {
      const SimReport once = Simulate(seed, plan);
      const SimReport again = Simulate(seed, plan);
      EXPECT_EQ(once.digest, again.digest) << "seed " << seed;
      EXPECT_EQ(once.steps, again.steps) << "seed " << seed;
    }
  }
  static FaultPlan InPython(Component component = Component::kWhole) {
    FaultPlan plan = FaultPlan::All(component);
    plan.in_python = true;
    return plan;
  }
};

TEST_F(SimulationTest, WithoutFaultsEverythingIsCrawledOnce) {
  EXPECT_EQ(ExpectToHold(20, FaultPlan::None()), 0);
}

TEST_F(SimulationTest, WhateverGoesWrongNothingIsLostOrRepeatedAndAllBoundsHold) {
  EXPECT_GT(ExpectToHold(Seeds(500), FaultPlan::All()), 0);
}

TEST_F(SimulationTest, StrategyWorkersAloneScheduleAndKeepWhatTheirEventsSay) {
  EXPECT_GT(ExpectToHold(Seeds(1000), FaultPlan::All(Component::kStrategy)), 0);
}

TEST_F(SimulationTest, WhatDbWorkersAloneAreGivenLeavesTheQueueOnceAndWithinItsCaps) {
  EXPECT_GT(ExpectToHold(Seeds(500), FaultPlan::All(Component::kQueue)), 0);
}

TEST_F(SimulationTest, AnHourOfOutagesGivesEachRequestOneOutcomeAndLeavesNothingBehind) {
  FaultPlan plan = FaultPlan::None();
  plan.component = Component::kSpider;
  for (const FaultKind kind : {FaultKind::kOutage, FaultKind::kDelays, FaultKind::kBusErrors}) {
    plan.kinds.set(static_cast<size_t>(kind));
  }
  const SimReport report = Simulate(1, plan);
  EXPECT_EQ(report.failure, "");
  EXPECT_GT(report.faults, 0);
}

TEST_F(SimulationTest, HalfAnHourOfASpidersDeathsAndRebalancesLosesNothingAndHarmsNobody) {
  const SimReport report = Simulate(2, FaultPlan::All(Component::kSpider));
  EXPECT_EQ(report.failure, "");
  EXPECT_GT(report.faults, 0);
}

TEST_F(SimulationTest, StrategiesInPythonHoldToo) {
  const uint64_t seeds = FromEnvironment("ORBWEAVER_SIM_PYTHON_SEEDS", 30);
  EXPECT_GT(ExpectToHold(seeds, InPython()), 0);
  EXPECT_GT(ExpectToHold(seeds, InPython(Component::kStrategy)), 0);
}

// Or a seed that failed could not be looked at.
TEST_F(SimulationTest, TheSameSeedIsTheSameRun) {
  ExpectTheSameRuns(20, FaultPlan::All());
  ExpectTheSameRuns(5, FaultPlan::All(Component::kStrategy));
  ExpectTheSameRuns(5, FaultPlan::All(Component::kQueue));
  ExpectTheSameRuns(5, InPython());
}

}  // namespace
}  // namespace orbweaver::sim
