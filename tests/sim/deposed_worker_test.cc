// A named schedule: a strategy worker that was replaced goes on between its puts and its commit.
#include <gtest/gtest.h>

#include "common/base/simulated_process.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "tests/sim/whole/planted_bus.h"
#include "tests/support/expect_ok.h"
#include "tests/support/strategy_world.h"

namespace orbweaver {
namespace {

// A worker is frozen when its rows are written and nothing of them is in the log yet. Another one
// takes over and dies at once. The first goes on: what it appends does not count any more, so it
// must not commit. How many requests a reader sees in the end.
size_t RequestsAfterAZombieWentOn(bool looks_whether_it_is_the_owner) {
  StrategyWorld world;
  const Link link{.url = "https://a.test/1"};
  world.Append({.domain = "a.test",
                .event = LinksFound{.source = {.url = "https://b.test/"}, .links = {&link, 1}}});
  ScriptedStrategy strategy;
  strategy.on_event = [](ScriptedStrategy::Call call) {
    call.decisions[0].action = ORBWEAVER_SCHEDULE;
    return absl::OkStatus();
  };
  const auto scoring_end = [&world] { return world.EndOf(kScoringLogTopic, PartitionId(0)); };
  // Dies right after its marker.
  SimulatedProcess second_process(
      [&](std::string_view point) { return point == "before poll" && scoring_end() > Offset(1); });
  MemoryBus second_bus(&world.broker, {.process = &second_process, .faults = {}});
  bool was_frozen = false;
  SimulatedProcess first_process([&](std::string_view point) {
    if (point != "before send" || scoring_end() == Offset(0) || was_frozen) return false;
    was_frozen = true;
    world.clock.Advance(std::chrono::minutes(1));
    const auto second = world.NewCore(strategy, {.bus = &second_bus, .member = "second"});
    try {
      while (true) CHECK_OK(second->Step(Duration::zero()).status());
    } catch (const SimulatedCrash&) {
    }
    return false;
  });
  MemoryBus first_memory_bus(&world.broker, {.process = &first_process, .faults = {}});
  uint64_t numbered = 0;
  sim::PlantedBus unfenced_bus(first_memory_bus, world.broker, sim::PlantedFault::kUnfencedCommits,
                               numbered);
  sim::PlantedBus first_bus(
      unfenced_bus, world.broker,
      looks_whether_it_is_the_owner ? sim::PlantedFault::kNone : sim::PlantedFault::kNoOwnerCheck,
      numbered);
  {
    const auto first = world.NewCore(strategy, {.bus = &first_bus, .member = "first"});
    const absl::Status status = world.RunUntilIdle(*first);
    EXPECT_TRUE(was_frozen);
    if (looks_whether_it_is_the_owner) {
      EXPECT_TRUE(IsFenced(status)) << status;
    } else {
      EXPECT_OK(status);
    }
  }
  world.clock.Advance(std::chrono::minutes(1));
  const auto third = world.NewCore(strategy, {.member = "third"});
  EXPECT_OK(world.RunUntilIdle(*third));
  return world.ReadRequests().size();
}

TEST(DeposedWorker, CommitsNothing) {
  EXPECT_EQ(RequestsAfterAZombieWentOn(/*looks_whether_it_is_the_owner=*/true), 1u);
}
TEST(DeposedWorker, LosesItsEventsWhereItDoesNotLookWhetherItIsStillTheOwner) {
  EXPECT_EQ(RequestsAfterAZombieWentOn(/*looks_whether_it_is_the_owner=*/false), 0u);
}

}  // namespace
}  // namespace orbweaver
