#include "cli/scaling/wanted_workers.h"

#include <string>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const ScalingRule kRule;  // 0.8, 0.5, 30 s, 5 min

int Wanted(const KindLoad& load) { return WantedWorkers(load, kRule); }

TEST(WantedWorkersTest, OneMoreIsWantedWhereTheyAreBusier) {
  EXPECT_EQ(Wanted({.workers = 1, .in_use = 0.79}), 1);
  EXPECT_EQ(Wanted({.workers = 1, .in_use = 0.81}), 2);
  EXPECT_EQ(Wanted({.workers = 2, .in_use = 2}), 3);
}

TEST(WantedWorkersTest, BusyWorkersWithoutLagStay) {
  EXPECT_EQ(Wanted({.workers = 2, .in_use = 1.1}), 2);
  EXPECT_EQ(Wanted({.workers = 2, .in_use = 1.6}), 2);
  EXPECT_EQ(Wanted({.workers = 3, .in_use = 1.1}), 3);
}

TEST(WantedWorkersTest, FewerAreWantedWhereTheRestWouldHaveRoom) {
  EXPECT_EQ(Wanted({.workers = 3, .in_use = 0.9}), 2);
  EXPECT_EQ(Wanted({.workers = 3, .in_use = 0.1}), 1);
}

TEST(WantedWorkersTest, NeverFewerThanOne) {
  EXPECT_EQ(Wanted({.workers = 1, .in_use = 0}), 1);
  EXPECT_EQ(Wanted({.workers = 4, .in_use = 0}), 1);
  EXPECT_EQ(Wanted({.workers = 0, .in_use = 0}), 1);
}

// As a strategy worker whose share hovers about the bound after one was added or taken away.
TEST(WantedWorkersTest, TheSameLoadLeadsToOneNumberAndBackToNone) {
  for (int percent = 0; percent <= 1000; ++percent) {
    const double in_use = percent / 100.0;
    for (int workers = 1; workers <= 12; ++workers) {
      const int wanted = Wanted({.workers = workers, .in_use = std::min<double>(in_use, workers)});
      if (in_use > workers) continue;
      EXPECT_EQ(Wanted({.workers = wanted, .in_use = in_use}), wanted)
          << in_use << " of " << workers;
    }
  }
}

TEST(WantedWorkersTest, ABacklogKeepsAllAndWantsMoreByHowFarBehindTheyAre) {
  const auto behind = [](double in_use, Duration lag) {
    return Wanted({.workers = 2, .in_use = in_use, .lag = lag});
  };
  EXPECT_EQ(behind(0.1, seconds(30)), 1) << "that is no backlog yet";
  EXPECT_EQ(behind(0.1, seconds(31)), 2) << "the store is slow, or it has only begun";
  EXPECT_EQ(behind(2, seconds(31)), 3);
  EXPECT_EQ(behind(2, minutes(5)), 5);
  EXPECT_EQ(behind(2, minutes(10)), 8);
}

TEST(WantedWorkersTest, NoMoreAreWantedThatWouldFindNothingToDo) {
  EXPECT_EQ(Wanted({.workers = 2, .in_use = 2, .has_more = false}), 2);
  EXPECT_EQ(Wanted({.workers = 3, .in_use = 0.9, .has_more = false}), 2);
}

TEST(WantedWorkersTest, NoneGoesWhileOneHasOnlyBegun) {
  EXPECT_EQ(Wanted({.workers = 3, .in_use = 0.9, .is_complete = false}), 3);
  EXPECT_EQ(Wanted({.workers = 2, .in_use = 1.7, .is_complete = false}), 3);
}

class LoadTest : public ::testing::Test {
 protected:
  // Two reports of a worker, ten seconds apart, by what its metrics say then.
  using Metrics = std::vector<std::pair<std::string, double>>;
  void Note(const std::string& id, const std::string& role, const Metrics& then,
            const Metrics& now) {
    NoteOne(id, role, kNow - seconds(10), then);
    NoteOne(id, role, kNow, now);
  }
  void NoteOne(const std::string& id, const std::string& role, WallTime at,
               const Metrics& metrics) {
    WorkerReport report{.id = id,
                        .role = role,
                        .version = "",
                        .admin_address = "",
                        .started_at = {},
                        .reported_at = at,
                        .vitals = {}};
    for (const auto& [name, value] : metrics) report.vitals.Take(name, value);
    book_.Note(std::move(report), at);
  }
  void NoteStage(const std::string& id, const std::string& role, const std::string& metric,
                 double busy, double waits, const Metrics& more) {
    const std::string stage = "orbweaver_" + metric + "_stage_seconds{state=";
    Metrics now = more;
    now.insert(now.end(), {{stage + "\"busy\"}", busy}, {stage + "\"waits_for_input\"}", waits}});
    Metrics then = more;
    then.insert(then.end(), {{stage + "\"busy\"}", 0}, {stage + "\"waits_for_input\"}", 0}});
    Note(id, role, then, now);
  }
  static Metrics Spider(double fetching, double cpu) {
    return {{"orbweaver_spider_fetching_requests", fetching},
            {"orbweaver_spider_most_fetches", 10},
            {"orbweaver_spider_threads", 2},
            {"process_cpu_seconds_total", cpu}};
  }

  const WallTime kNow{std::chrono::hours(500'000)};
  WorkerBook book_;
};

TEST_F(LoadTest, NothingIsKnownOfAKindThatDoesNotReport) {
  NoteStage("s", "strategy-worker", "strategy", 1, 1, {});
  EXPECT_FALSE(LoadOf(book_, WorkerKind::kDbWorker, kNow).has_value());
  EXPECT_FALSE(
      LoadOf(book_, WorkerKind::kStrategyWorker, kNow + std::chrono::seconds(31)).has_value());
}

TEST_F(LoadTest, WorkersAreInUseWhileTheyAreBusyAndAsFarBehindAsTheLastOfThem) {
  NoteStage("a", "strategy-worker", "strategy", 8, 2, {{"orbweaver_strategy_lag_seconds", 3}});
  NoteStage("b", "strategy-worker", "strategy", 1, 9, {{"orbweaver_strategy_lag_seconds", 70}});
  NoteStage("c", "db-worker", "queue", 5, 5,
            {{"orbweaver_queue_lag_seconds", 2}, {"orbweaver_queue_partitions", 4}});
  const auto strategy = LoadOf(book_, WorkerKind::kStrategyWorker, kNow);
  ASSERT_TRUE(strategy.has_value());
  EXPECT_EQ(strategy->workers, 2);
  EXPECT_NEAR(strategy->in_use, 0.9, 1e-9);
  EXPECT_EQ(strategy->lag, seconds(70));
  EXPECT_TRUE(strategy->has_more && strategy->is_complete);
  const auto db = LoadOf(book_, WorkerKind::kDbWorker, kNow);
  ASSERT_TRUE(db.has_value());
  EXPECT_NEAR(db->in_use, 0.5, 1e-9);
  EXPECT_EQ(db->lag, seconds(2));
}

TEST_F(LoadTest, AWorkerOfTheRolePagesAloneIsNoDbWorker) {
  Note("p", "db-worker", {{"orbweaver_pages_stored_total", 1}}, {});
  EXPECT_FALSE(LoadOf(book_, WorkerKind::kDbWorker, kNow).has_value());
}

TEST_F(LoadTest, ASpiderIsInUseByItsFetchesOrItsCores) {
  Note("a", "spider", Spider(9, 100), Spider(3, 101));    // 6 of 10 on average, 0.1 of 2 cores
  Note("b", "spider", Spider(1, 100), Spider(1, 108));    // 0.8 of 2
  Note("c", "spider", Spider(10, 100), Spider(10, 200));  // all
  const auto load = LoadOf(book_, WorkerKind::kSpider, kNow);
  ASSERT_TRUE(load.has_value());
  EXPECT_EQ(load->workers, 3);
  EXPECT_NEAR(load->in_use, 0.6 + 0.4 + 1, 1e-9);
  EXPECT_TRUE(load->is_complete);
}

TEST_F(LoadTest, ASpiderMoreFindsWorkWhileDomainsAreReady) {
  Note("a", "spider", Spider(5, 1), Spider(6, 11));
  EXPECT_FALSE(LoadOf(book_, WorkerKind::kSpider, kNow)->has_more);
  const std::string domains = "orbweaver_queue_waiting_domains{state=";
  NoteOne("d", "db-worker", kNow, {{domains + "\"ready\"}", 0}, {domains + "\"paced\"}", 50}});
  EXPECT_FALSE(LoadOf(book_, WorkerKind::kSpider, kNow)->has_more);
  NoteOne("e", "db-worker", kNow, {{domains + "\"ready\"}", 1}});
  EXPECT_TRUE(LoadOf(book_, WorkerKind::kSpider, kNow)->has_more);
}

TEST_F(LoadTest, ASpiderMoreFindsWorkWhileOneHasNoFetchLeft) {
  Note("a", "spider", Spider(2, 1), Spider(3, 2));
  Note("b", "spider", Spider(9, 1), Spider(10, 2));
  EXPECT_TRUE(LoadOf(book_, WorkerKind::kSpider, kNow)->has_more);
}

TEST_F(LoadTest, AWorkerThatHasOnlyBegunMakesItIncomplete) {
  Note("a", "spider", Spider(10, 1), Spider(10, 2));
  NoteOne("b", "spider", kNow, Spider(10, 2));
  const auto load = LoadOf(book_, WorkerKind::kSpider, kNow);
  EXPECT_EQ(load->workers, 2);
  EXPECT_FALSE(load->is_complete);
}

}  // namespace
}  // namespace orbweaver
