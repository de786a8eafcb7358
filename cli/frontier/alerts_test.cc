#include "cli/frontier/alerts.h"

#include <map>
#include <set>
#include <string>

#include "fmt/format.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/config/value_text.h"
#include "common/config/yaml_tree.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

using Metrics = std::vector<std::pair<std::string, double>>;

class AlertsTest : public testing::Test {
 protected:
  void Report(const std::string& id, const std::string& role, const Metrics& metrics) {
    WorkerReport report{.id = id,
                        .role = role,
                        .version = "",
                        .admin_address = "",
                        .started_at = started_,
                        .reported_at = clock_.Wall(),
                        .vitals = {}};
    for (const auto& [name, value] : metrics) report.vitals.Take(name, value);
    book_.Note(std::move(report), clock_.Wall());
  }
  // All three kinds, as they should be, with what `more` says of the spider.
  void ReportAll(const Metrics& more = {}) {
    Metrics spider{{"orbweaver_spider_partitions", 4}};
    spider.insert(spider.end(), more.begin(), more.end());
    Report("s", "spider", spider);
    Report("d", "db-worker", {{"orbweaver_queue_partitions", 4}, {"orbweaver_feed_lag", lag_}});
    Report("w", "strategy-worker", {{"orbweaver_strategy_partitions", 4}});
  }
  std::vector<std::string> Look() {
    board_.Update(book_, clock_.Now(), clock_.Wall());
    std::vector<std::string> names;
    for (const Alert& alert : board_.firing()) names.emplace_back(alert.rule->name);
    return names;
  }
  // Looks every five seconds, `report` before each.
  template <typename Report>
  std::vector<std::string> For(Duration time, Report report) {
    for (Duration passed{}; passed < time; passed += seconds(5)) {
      clock_.Advance(seconds(5));
      report();
      Look();
    }
    return Look();
  }

  ManualClock clock_;
  const WallTime started_ = clock_.Wall();
  double lag_ = 0;
  WorkerBook book_;
  AlertBoard board_{true};
};

TEST_F(AlertsTest, AHealthyClusterHasNone) {
  double pages = 0;
  EXPECT_THAT(For(minutes(70),
                  [&] {
                    ReportAll({{"orbweaver_spider_pages_total", pages += 50},
                               {"orbweaver_spider_failures_total{cause=\"dns\"}", pages / 100}});
                  }),
              ElementsAre());
}

TEST_F(AlertsTest, AnAlertComesWhenItHasBeenSoForItsTimeAndGoesAtOnce) {
  const auto paused = [&] { ReportAll({{"orbweaver_feed_partitions_paused", 3}}); };
  const WallTime begin = clock_.Wall();
  EXPECT_THAT(For(minutes(59), paused), ElementsAre());
  EXPECT_THAT(For(minutes(2), paused), ElementsAre("FeedPaused"));
  EXPECT_EQ(board_.firing()[0].since, begin + seconds(5));
  EXPECT_EQ(board_.firing()[0].says, "the feed of 3 partitions is paused");
  clock_.JumpWall(std::chrono::hours(-1000));
  paused();
  EXPECT_THAT(Look(), ElementsAre("FeedPaused")) << "a clock that is set ends no alert";
  clock_.JumpWall(std::chrono::hours(1000));
  EXPECT_THAT(For(seconds(5), [&] { ReportAll(); }), ElementsAre());
}

TEST_F(AlertsTest, WorkersThatFallSilentAreNamedUntilOthersTakeTheirPlaces) {
  ReportAll();
  Report("s2", "spider", {{"orbweaver_spider_partitions", 0}});
  EXPECT_THAT(For(minutes(2), [&] { ReportAll(); }), ElementsAre());
  EXPECT_THAT(For(minutes(1), [&] { ReportAll(); }), ElementsAre("WorkerDown"));
  EXPECT_EQ(board_.firing()[0].says, "spider s2 no longer reports");
  clock_.Advance(seconds(5));
  WorkerReport next{.id = "s3",
                    .role = "spider",
                    .version = "",
                    .admin_address = "",
                    .started_at = clock_.Wall(),
                    .reported_at = clock_.Wall(),
                    .vitals = {}};
  book_.Note(next, clock_.Wall());
  ReportAll();
  EXPECT_THAT(Look(), ElementsAre());
}

TEST_F(AlertsTest, AKindOfWhichNobodyReportsIsMissing) {
  const auto two_kinds = [&] {
    Report("s", "spider", {});
    Report("w", "strategy-worker", {});
  };
  EXPECT_THAT(For(seconds(120), two_kinds), ElementsAre());
  EXPECT_THAT(For(seconds(10), two_kinds), ElementsAre("WorkersOfAKindMissing"));
  EXPECT_EQ(board_.firing()[0].says, "no db-worker reports");
  EXPECT_THAT(For(seconds(35), [&] { Report("s", "spider", {}); }),
              ElementsAre("WorkersOfAKindMissing"));
  EXPECT_EQ(board_.firing()[0].says, "no db-worker and no strategy-worker reports");
  AlertBoard here(false);
  here.Update(book_, clock_.Now(), clock_.Wall());
  here.Update(book_, clock_.Now() + minutes(5), clock_.Wall());
  EXPECT_TRUE(here.firing().empty()) << "a crawl in one process has no such workers";
}

TEST_F(AlertsTest, EachThresholdIsTheLeastThatIsTooMuch) {
  const auto spider = [&](const Metrics& metrics) {
    return [this, metrics] { ReportAll(metrics); };
  };
  constexpr double kMiB = 1024 * 1024;
  EXPECT_THAT(For(minutes(11), spider({{"orbweaver_spider_queued_bytes", 32 * kMiB}})),
              ElementsAre());
  EXPECT_THAT(For(minutes(11), spider({{"orbweaver_spider_queued_bytes", 32 * kMiB + 1}})),
              ElementsAre("SpiderLogIsSlow"));
  EXPECT_THAT(For(minutes(6), spider({{"process_open_fds", 80}, {"process_max_fds", 100}})),
              ElementsAre());
  EXPECT_THAT(For(minutes(6), spider({{"process_open_fds", 81}, {"process_max_fds", 100}})),
              ElementsAre("OpenFilesNearTheLimit"));
  EXPECT_EQ(board_.firing()[0].says, "spider s has 81 of 100 files and connections open");
  const std::string ready = "orbweaver_queue_waiting_domains{state=\"ready\"}";
  EXPECT_THAT(For(minutes(11), spider({{ready, 1000}})), ElementsAre());
  EXPECT_THAT(For(minutes(11), spider({{ready, 1001}})),
              ElementsAre("QueueHasWorkButTheFeedIsEmpty"));
  lag_ = 1;
  EXPECT_THAT(For(seconds(5), spider({{ready, 1001}})), ElementsAre());
}

TEST_F(AlertsTest, ACrawlThatFetchesDoesNotStandStill) {
  lag_ = 5;
  double pages = 0;
  EXPECT_THAT(For(minutes(30), [&] { ReportAll({{"orbweaver_spider_pages_total", ++pages}}); }),
              ElementsAre());
  // The window of ten minutes empties, and then it must be so for ten.
  const auto still = [&] { ReportAll({{"orbweaver_spider_pages_total", pages}}); };
  EXPECT_THAT(For(minutes(19), still), ElementsAre());
  EXPECT_THAT(For(minutes(2), still), ElementsAre("CrawlStandsStill"));
  EXPECT_EQ(board_.firing()[0].says, "5 requests in the feed and nothing is fetched");
}

// 6 failures and 5 pages in 5 s: 1.2 failures a second, 54.5 % of all.
TEST_F(AlertsTest, FailuresAreTooManyByTheirShareAndTheirRate) {
  double failures = 0, pages = 0;
  const auto fails = [&](double failed, double fetched) {
    return [&, failed, fetched] {
      ReportAll({{"orbweaver_spider_failures_total{cause=\"dns\"}", failures += failed},
                 {"orbweaver_spider_pages_total", pages += fetched}});
    };
  };
  EXPECT_THAT(For(minutes(40), fails(4, 1)), ElementsAre()) << "0.8 a second";
  EXPECT_THAT(For(minutes(40), fails(6, 7)), ElementsAre()) << "46 %";
  EXPECT_THAT(For(minutes(40), fails(6, 5)), ElementsAre("FetchesFail"));
  EXPECT_EQ(board_.firing()[0].says, "55 % of all requests fail");
}

TEST_F(AlertsTest, GrowingCountersAreToldAsLongAsTheirWindow) {
  ReportAll();
  Look();
  const auto bad = [&] {
    ReportAll({{"orbweaver_spider_dead_letters_total", 2},
               {"orbweaver_strategy_lost_events_total", 7},
               {"orbweaver_queue_damaged_chunks_total", 1}});
  };
  EXPECT_THAT(For(seconds(5), bad), ElementsAre("EventsLost", "DamagedRows", "DeadLetters"))
      << "critical ones first";
  EXPECT_EQ(board_.firing()[0].says, "retention deleted 7 messages before they were read");
  EXPECT_THAT(For(minutes(14), bad).size(), 3u);
  EXPECT_THAT(For(minutes(2), bad), ElementsAre());
}

TEST_F(AlertsTest, PartitionsThatSomebodyShouldOwn) {
  const auto one_short = [&] {
    ReportAll();
    Report("w", "strategy-worker", {{"orbweaver_strategy_partitions", 3}});
  };
  EXPECT_THAT(For(minutes(10), one_short), ElementsAre());
  EXPECT_THAT(For(minutes(1), one_short), ElementsAre("PartitionsWithoutOwner"));
  EXPECT_EQ(board_.firing()[0].says, "spiders own 4 partitions, strategy workers 3, db workers 4");
}

const config::YamlNode* Child(const config::YamlNode& node, std::string_view key) {
  for (const config::YamlNode& child : node.children) {
    if (child.key == key) return &child;
  }
  return nullptr;
}
std::string TextOf(const config::YamlNode& node, std::string_view key) {
  const config::YamlNode* const child = Child(node, key);
  return child == nullptr ? "" : child->text;
}

// Each rule of Prometheus has its twin, with the same severity, time, window and thresholds.
TEST(AlertRulesTest, AreThoseOfPrometheus) {
  const auto file = config::ReadYaml("deploy/prometheus/alerts.yml");
  ASSERT_OK(file);
  const config::YamlNode* const groups = Child(*file, "groups");
  ASSERT_NE(groups, nullptr);
  std::map<std::string, const config::YamlNode*> theirs;
  for (const config::YamlNode& group : groups->children) {
    for (const config::YamlNode& rule : Child(group, "rules")->children) {
      theirs[TextOf(rule, "alert")] = &rule;
    }
  }
  std::set<std::string> ours;
  for (const AlertRule& rule : AlertRules()) {
    const std::string name(rule.name);
    ours.insert(name);
    ASSERT_TRUE(theirs.contains(name)) << name;
    const config::YamlNode& twin = *theirs[name];
    EXPECT_EQ(TextOf(*Child(twin, "labels"), "severity"), rule.is_critical ? "page" : "ticket")
        << name;
    Duration holds_for{};
    if (const std::string text = TextOf(twin, "for"); !text.empty()) {
      ASSERT_TRUE(config::ParseDuration(text, &holds_for)) << name;
    }
    EXPECT_EQ(holds_for, rule.holds_for) << name;
    const std::string expr = TextOf(twin, "expr");
    const std::string window =
        fmt::format("[{}m]", std::chrono::duration_cast<minutes>(rule.window).count());
    EXPECT_EQ(expr.find('[') != expr.npos && expr.find("m]") != expr.npos, rule.window > seconds(0))
        << name;
    if (rule.window > seconds(0)) EXPECT_THAT(expr, HasSubstr(window)) << name;
    for (const double threshold : rule.thresholds) {
      if (threshold == 0) continue;
      const std::string text =
          threshold == 32.0 * 1024 * 1024 ? "32 * 1024 * 1024" : fmt::format("> {}", threshold);
      EXPECT_THAT(expr, HasSubstr(text)) << name;
    }
  }
  for (const auto& [name, rule] : theirs) EXPECT_TRUE(ours.contains(name)) << name;
}

}  // namespace
}  // namespace orbweaver
