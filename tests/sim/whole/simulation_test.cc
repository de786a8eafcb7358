#include "tests/sim/whole/simulation.h"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "common/base/log.h"

namespace orbweaver::sim {
namespace {

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

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
      EXPECT_GT(report.visits, 0u) << "seed " << seed;
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
  static FaultPlan InPython() {
    FaultPlan plan = FaultPlan::All();
    plan.in_python = true;
    return plan;
  }
};

TEST_F(SimulationTest, WithoutFaultsEverythingIsCrawledOnce) {
  EXPECT_EQ(ExpectToHold(20, FaultPlan::None()), 0);
}

TEST_F(SimulationTest, WhateverGoesWrongNothingIsLostOrRepeatedAndAllBoundsHold) {
  EXPECT_GT(ExpectToHold(FromEnvironment("ORBWEAVER_SIM_SEEDS", 200), FaultPlan::All()), 0);
}

TEST_F(SimulationTest, StrategiesInPythonHoldToo) {
  EXPECT_GT(ExpectToHold(FromEnvironment("ORBWEAVER_SIM_PYTHON_SEEDS", 30), InPython()), 0);
}

// Or a seed that failed could not be looked at.
TEST_F(SimulationTest, TheSameSeedIsTheSameRun) {
  ExpectTheSameRuns(20, FaultPlan::All());
  ExpectTheSameRuns(5, InPython());
}

}  // namespace
}  // namespace orbweaver::sim
