// Shows that the simulator can fail: each rule of the crash protocol, and six mistakes, are needed
// for its seeds to hold.
#include "tests/sim/whole/planted_faults.h"

#include <algorithm>
#include <string>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/log.h"
#include "tests/sim/whole/shrink.h"
#include "tests/sim/whole/simulation.h"

namespace orbweaver::sim {
namespace {

// Far more than any of them needs.
constexpr uint64_t kPatience = 6000;

// The faults of the world while a planted fault is looked for. Scoring markers are needed only
// where a zombie appends between its successor's marker and its successor's entries, having decided
// otherwise: in one seed of a thousand when that is all that happens, and far more rarely among
// everything else.
FaultPlan PlanFor(PlantedFault fault) {
  if (fault != PlantedFault::kNoScoringMarkers) return FaultPlan::All();
  FaultPlan plan = FaultPlan::None();
  plan.kinds.set(static_cast<size_t>(FaultKind::kFreeze));
  plan.kinds.set(static_cast<size_t>(FaultKind::kDelays));
  return plan;
}

class PlantedFaultTest : public ::testing::TestWithParam<PlantedFault> {
 protected:
  PlantedFaultTest() { ConfigureLog({.level = LogLevel::kError, .repeats_per_ten_seconds = 1}); }
  ~PlantedFaultTest() override { Plant(PlantedFault::kNone); }

  // 0: none.
  static uint64_t FirstFailingSeed(const FaultPlan& plan, std::string* failure) {
    for (uint64_t seed = 1; seed <= kPatience; ++seed) {
      SimReport report = Simulate(seed, plan);
      *failure = std::move(report.failure);
      if (!failure->empty()) return seed;
    }
    return 0;
  }
};

TEST_P(PlantedFaultTest, IsNoticed) {
  Plant(GetParam());
  const FaultPlan plan = PlanFor(GetParam());
  std::string failure;
  const uint64_t seed = FirstFailingSeed(plan, &failure);
  ASSERT_NE(seed, 0u) << "nothing of " << kPatience << " seeds fails";
  fmt::print("{}: seed {}: {}\n", NameOf(GetParam()), seed, failure);
  // And the seed is not to blame.
  Plant(PlantedFault::kNone);
  EXPECT_EQ(Simulate(seed, plan).failure, "");
}

std::vector<PlantedFault> AllPlantedFaults() {
  std::vector<PlantedFault> faults;
  for (size_t i = 1; i < static_cast<size_t>(PlantedFault::kCount); ++i) {
    faults.push_back(static_cast<PlantedFault>(i));
  }
  return faults;
}

INSTANTIATE_TEST_SUITE_P(Faults, PlantedFaultTest, ::testing::ValuesIn(AllPlantedFaults()),
                         [](const auto& test) {
                           std::string name(NameOf(test.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

using ShrinkTest = PlantedFaultTest;

TEST_F(ShrinkTest, AFailingRunIsMadeSmallerAndStillFails) {
  Plant(PlantedFault::kDeferredDropped);
  std::string failure;
  const uint64_t seed = FirstFailingSeed(FaultPlan::All(), &failure);
  ASSERT_NE(seed, 0u);
  const Shrunk shrunk = Shrink(seed, FaultPlan::All());
  EXPECT_NE(shrunk.report.failure, "");
  EXPECT_EQ(Simulate(seed, shrunk.plan).digest, shrunk.report.digest);
  EXPECT_LE(shrunk.plan.kinds.count(), FaultPlan::All().kinds.count());
  // Each single fault that is left is needed.
  for (const SimReport::Event& event : shrunk.report.trace) {
    FaultPlan without = shrunk.plan;
    without.skipped.insert(event.number);
    EXPECT_EQ(Simulate(seed, without).failure, "") << event.text;
  }
}

}  // namespace
}  // namespace orbweaver::sim
