// Shows that the simulator can fail: without each rule of the crash protocol, and with each of six
// mistakes, some seed does not hold.
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
constexpr uint64_t kPatience = 1000;

// A mistake, and the workers among which it must be noticed.
struct Planted {
  PlantedFault fault;
  Component component = Component::kWhole;
};

// The faults of the world while a planted fault is looked for. Scoring markers are needed only
// where a zombie appends between its successor's marker and its successor's entries, having decided
// otherwise: in one seed of ten when that is all that happens, and far more rarely among everything
// else.
FaultPlan PlanFor(const Planted& planted) {
  FaultPlan plan = FaultPlan::All(planted.component);
  plan.planted = planted.fault;
  if (planted.fault != PlantedFault::kNoScoringMarkers) return plan;
  if (planted.component != Component::kStrategy) return plan;
  plan.kinds.reset();
  plan.kinds.set(static_cast<size_t>(FaultKind::kFreeze));
  plan.kinds.set(static_cast<size_t>(FaultKind::kDelays));
  return plan;
}

class PlantedFaultTest : public ::testing::TestWithParam<Planted> {
 protected:
  PlantedFaultTest() { ConfigureLog({.level = LogLevel::kError, .repeats_per_ten_seconds = 1}); }

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
  FaultPlan plan = PlanFor(GetParam());
  std::string failure;
  const uint64_t seed = FirstFailingSeed(plan, &failure);
  ASSERT_NE(seed, 0u) << "nothing of " << kPatience << " seeds fails";
  fmt::print("{}: seed {}: {}\n", NameOf(plan.planted), seed, failure);
  // And the seed is not to blame.
  plan.planted = PlantedFault::kNone;
  EXPECT_EQ(Simulate(seed, plan).failure, "");
}

// All in the whole but the three that only thousands of its seeds show, and those of one kind of
// workers where these are alone.
std::vector<Planted> AllPlantedFaults() {
  using enum PlantedFault;
  std::vector<Planted> all;
  for (size_t i = 1; i < static_cast<size_t>(kUnfencedCommits); ++i) {
    const auto fault = static_cast<PlantedFault>(i);
    if (fault == kNoScoringMarkers || fault == kNoFeedMarkers || fault == kNoVersions) continue;
    all.push_back({.fault = fault});
  }
  all.push_back({kNoFeedMarkers, Component::kSpider});
  for (const PlantedFault fault : {kNoOutbox, kNoScoringMarkers, kNoSourceWatermark, kNoVersions,
                                   kNoAcksAwaited, kCommitFirst}) {
    all.push_back({fault, Component::kStrategy});
  }
  for (const PlantedFault fault :
       {kNoSourceWatermark, kNoScoringMarkers, kNoFeedMarkers, kNoOwnerCheck, kNoReadBack,
        kCheckpointFirst, kCommitFirst, kNoAcksAwaited, kNoVersions}) {
    all.push_back({fault, Component::kQueue});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Faults, PlantedFaultTest, ::testing::ValuesIn(AllPlantedFaults()),
                         [](const auto& test) {
                           std::string name = fmt::format("{}_{}", NameOf(test.param.component),
                                                          NameOf(test.param.fault));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

using PlantingTest = PlantedFaultTest;

TEST_F(PlantingTest, TheProtocolNeedsNoHelpOfTheConsumerGroup) {
  FaultPlan plan = FaultPlan::All(Component::kStrategy);
  plan.planted = PlantedFault::kUnfencedCommits;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    EXPECT_EQ(Simulate(seed, plan).failure, "") << "seed " << seed;
  }
}

TEST_F(PlantingTest, AFailingRunIsMadeSmallerAndStillFails) {
  const FaultPlan plan = PlanFor({.fault = PlantedFault::kDeferredDropped});
  std::string failure;
  const uint64_t seed = FirstFailingSeed(plan, &failure);
  ASSERT_NE(seed, 0u);
  const Shrunk shrunk = Shrink(seed, plan);
  EXPECT_NE(shrunk.report.failure, "");
  EXPECT_EQ(Simulate(seed, shrunk.plan).digest, shrunk.report.digest);
  EXPECT_LE(shrunk.plan.kinds.count(), plan.kinds.count());
  // Each single fault that is left is needed.
  for (const SimReport::Event& event : shrunk.report.trace) {
    FaultPlan without = shrunk.plan;
    without.skipped.insert(event.number);
    EXPECT_EQ(Simulate(seed, without).failure, "") << event.text;
  }
}

}  // namespace
}  // namespace orbweaver::sim
