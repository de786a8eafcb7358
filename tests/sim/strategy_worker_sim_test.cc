// The strategy worker's core under kills, zombies, rebalances and lies, by seed. A seed that fails
// becomes a test of its own.
#include "tests/sim/strategy_worker_sim.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/log.h"
#include "common/base/simulated_process.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "tests/sim/switched_off.h"
#include "tests/support/expect_ok.h"
#include "tests/support/strategy_world.h"

namespace orbweaver {
namespace {

// ORBWEAVER_SIM_SEEDS: how many; ORBWEAVER_SIM_FIRST_SEED: from which on.
uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class StrategyWorkerSim : public ::testing::Test {
 protected:
  StrategyWorkerSim() { ConfigureLog({.level = LogLevel::kError, .repeats_per_ten_seconds = 1}); }

  static SimResult Simulate(uint64_t seed, SwitchedOff rule = SwitchedOff::kNothing) {
    return SimulateStrategyWorkers(seed, *NewCountingCrawl(/*by_chance=*/seed % 2 == 1), rule);
  }
  // Whether one of so many seeds fails.
  static bool FailsWithin(uint64_t seeds, SwitchedOff rule) {
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      if (!Simulate(seed, rule).failure.empty()) return true;
    }
    return false;
  }
};

TEST_F(StrategyWorkerSim, EveryScheduledUrlIsInTheLogExactlyOncePerEventAndTheStatesAgree) {
  const uint64_t first = FromEnvironment("ORBWEAVER_SIM_FIRST_SEED", 0);
  const uint64_t seeds = FromEnvironment("ORBWEAVER_SIM_SEEDS", 300);
  SimResult all;
  int failures = 0;
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    const SimResult result = Simulate(seed);
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

struct Builtin {
  const char* name;
  std::map<std::string, std::string> params;
  ScopeOptions scope = {};
};
std::string NameOf(const Builtin& builtin) {
  constexpr const char* kSitemaps[] = {"", "_also", "_only", "_no"};
  const auto module = builtin.params.find("module");
  const std::string name = module == builtin.params.end()
                               ? builtin.name
                               : fmt::format("{}_{}", builtin.name,
                                             std::filesystem::path(module->second).stem().string());
  return name + (builtin.scope.assets ? "_assets" : "") +
         kSitemaps[static_cast<size_t>(builtin.scope.sitemaps)];
}
void PrintTo(const Builtin& builtin, std::ostream* out) { *out << NameOf(builtin); }

class BuiltinStrategySim : public StrategyWorkerSim,
                           public ::testing::WithParamInterface<Builtin> {};

TEST_P(BuiltinStrategySim, FaultsChangeNothingOfWhatItSchedulesAndKeeps) {
  const uint64_t first = FromEnvironment("ORBWEAVER_SIM_FIRST_SEED", 0);
  const uint64_t seeds = std::max<uint64_t>(FromEnvironment("ORBWEAVER_SIM_SEEDS", 200) / 10, 1);
  int faults = 0;
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    const auto crawl = NewBuiltinCrawl(GetParam().name, GetParam().params, GetParam().scope);
    const SimResult result = SimulateStrategyWorkers(seed, *crawl);
    ASSERT_EQ(result.failure, "");
    faults += result.kills + result.freezes + result.rebuilds;
  }
  EXPECT_GT(faults, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Builtins, BuiltinStrategySim,
    ::testing::Values(
        Builtin{"breadth_first", {{"max_pages", "8"}}}, Builtin{"depth_first", {}},
        Builtin{"random", {}}, Builtin{"discovery", {{"max_pages", "8"}}}, Builtin{"recrawl", {}},
        Builtin{"keyword", {{"terms", "spider, 3:2"}}}, Builtin{"opic", {}},
        Builtin{"python", {{"module", ORBWEAVER_EXAMPLES "/discovery.py"}, {"max_pages", "8"}}},
        Builtin{"python", {{"module", ORBWEAVER_EXAMPLES "/opic.py"}}}, Builtin{"indegree", {}},
        Builtin{"larger_sites_first", {{"max_pages", "8"}}},
        Builtin{"breadth_first",
                {{"max_pages", "8"}},
                {.kind = ScopeKind::kDomain, .sitemaps = SitemapUse::kAlso, .assets = true}},
        Builtin{"discovery", {{"max_pages", "8"}}, {.sitemaps = SitemapUse::kOnly, .assets = true}},
        Builtin{"recrawl",
                {},
                {.kind = ScopeKind::kHost, .sitemaps = SitemapUse::kNo, .assets = true}}),
    [](const auto& test) { return NameOf(test.param); });

TEST_F(StrategyWorkerSim, NeedsNoHelpOfTheConsumerGroup) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_EQ(Simulate(seed, SwitchedOff::kCommitFencing).failure, "");
  }
}

// Each rule of the protocol is needed: without it some run fails.
// Most show within a dozen seeds; that markers are ignored, once in some thousands.
constexpr uint64_t kPatience = 20'000;

TEST_F(StrategyWorkerSim, NoticesAWorkerWithoutOutboxes) {
  EXPECT_TRUE(FailsWithin(kPatience, SwitchedOff::kOutbox));
}
TEST_F(StrategyWorkerSim, NoticesAReaderThatIgnoresMarkers) {
  EXPECT_TRUE(FailsWithin(kPatience, SwitchedOff::kEpochs));
}
TEST_F(StrategyWorkerSim, NoticesAReaderWithoutWatermarks) {
  EXPECT_TRUE(FailsWithin(kPatience, SwitchedOff::kWatermarks));
}
TEST_F(StrategyWorkerSim, NoticesPutsWithoutVersions) {
  EXPECT_TRUE(FailsWithin(kPatience, SwitchedOff::kVersions));
}
TEST_F(StrategyWorkerSim, NoticesAWorkerThatDoesNotWaitForAcks) {
  EXPECT_TRUE(FailsWithin(kPatience, SwitchedOff::kAwaitAcks));
}
TEST_F(StrategyWorkerSim, NoticesAWorkerThatCommitsFirst) {
  EXPECT_TRUE(FailsWithin(kPatience, SwitchedOff::kCommitLast));
}

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
  RuleBreakingBus first_bus(
      first_memory_bus, world.broker,
      {.commit_fencing = false, .still_owner = looks_whether_it_is_the_owner});
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

TEST_F(StrategyWorkerSim, AWorkerThatWasDeposedCommitsNothing) {
  EXPECT_EQ(RequestsAfterAZombieWentOn(/*looks_whether_it_is_the_owner=*/true), 1u);
}
TEST_F(StrategyWorkerSim, NoticesAWorkerThatDoesNotLookWhetherItIsStillTheOwner) {
  EXPECT_EQ(RequestsAfterAZombieWentOn(/*looks_whether_it_is_the_owner=*/false), 0u);
}

}  // namespace
}  // namespace orbweaver
