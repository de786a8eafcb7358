#include "spider/crawl/robots_fetcher.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/metrics/metric_registry.h"
#include "tests/support/journey.h"
#include "tests/support/kept_tasks.h"

namespace orbweaver {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RobotsFetcherTest : public ::testing::Test {
 protected:
  RobotsAsked Ask(uint64_t waiter, std::string_view url, int partition = 0) {
    const auto journey = JourneyOf({.url = url, .domain = "a.test"});
    return robots_.Ask(TurnId(waiter), PartitionId(partition), *journey);
  }
  void Leave(uint64_t waiter) { robots_.Leave(TurnId(waiter), "http://a.test/"); }

  // The URLs whose fetches begin by and by, and the last of them.
  std::vector<std::string> Started() {
    std::vector<std::string> urls;
    for (int i = 0; i < 10; ++i) {
      clock_.Advance(seconds(1));
      fetches_.Advance(true, [this](TurnId id) { return robots_.IsWanted(id); });
      for (const LaneTask& task : lanes_.Take()) {
        urls.emplace_back(task.journey->url());
        running_ = task.id;
      }
    }
    return urls;
  }

  // The fetch that was started last ends so.
  std::vector<TurnId> Ends(FetchResult answer) {
    LaneResult result{.id = running_};
    result.what = FetchOver{.end = std::make_unique<FetchResult>(std::move(answer))};
    const FetchEnd end = fetches_.OnResult(result);
    return robots_.OnAnswer(running_, *std::get<Answer>(end));
  }
  static FetchResult Page(std::string body) {
    FetchResult result;
    result.status = 200;
    result.body = std::move(body);
    return result;
  }
  bool IsRunningFor(int partition) {
    return robots_.IsRunningFor([=](PartitionId one) { return one == PartitionId(partition); });
  }

  std::string kept_;
  ManualClock clock_;
  MetricRegistry registry_;
  CrawlMetrics metrics_{registry_};
  const std::unique_ptr<const PublicSuffixes> suffixes_ = PublicSuffixes::Load({}).value();
  UrlResolver resolver_{UrlOptions(), *suffixes_};
  OutcomeEncoder encoder_{{}, clock_};
  KeptTasks lanes_;
  PoliteFetches fetches_{{}, 10, clock_, lanes_, metrics_};
  RobotsFetcher robots_{{}, clock_, resolver_, encoder_, fetches_};
  TurnId running_;
};

TEST_F(RobotsFetcherTest, AFileIsFetchedOnceForAllThatWaitForItAndTheyAskInTheirOrder) {
  EXPECT_EQ(Ask(103, "http://a.test/x").verdict, RobotsVerdict::kPending);
  EXPECT_EQ(Ask(101, "http://a.test/no").verdict, RobotsVerdict::kPending);
  EXPECT_THAT(Started(), ElementsAre("http://a.test/robots.txt"));
  EXPECT_EQ(Ask(102, "http://a.test/x").verdict, RobotsVerdict::kPending);
  EXPECT_THAT(Ends(Page("User-agent: *\nDisallow: /no")),
              ElementsAre(TurnId(103), TurnId(101), TurnId(102)));
  EXPECT_EQ(Ask(103, "http://a.test/x").verdict, RobotsVerdict::kAllowed);
  EXPECT_EQ(Ask(101, "http://a.test/no").verdict, RobotsVerdict::kDisallowed);
  EXPECT_THAT(Started(), IsEmpty());
}

TEST_F(RobotsFetcherTest, EachOriginHasAFileOfItsOwn) {
  (void)Ask(101, "http://a.test/");
  (void)Ask(102, "http://a.test:81/");
  EXPECT_THAT(Started(), ElementsAre("http://a.test/robots.txt"));
  EXPECT_THAT(Ends(Page("")), ElementsAre(TurnId(101)));
  EXPECT_THAT(Started(), ElementsAre("http://a.test:81/robots.txt"));
}

TEST_F(RobotsFetcherTest, WhatNobodyWaitsForIsNotFetchedAndIsFetchedAnewForTheNext) {
  (void)Ask(101, "http://a.test/");
  (void)Ask(102, "http://a.test/");
  Leave(101);
  Leave(102);
  EXPECT_THAT(Started(), IsEmpty());
  EXPECT_EQ(robots_.files(), 0u);
  EXPECT_EQ(Ask(103, "http://a.test/").verdict, RobotsVerdict::kPending);
  EXPECT_THAT(Started(), ElementsAre("http://a.test/robots.txt"));
  EXPECT_THAT(Ends(Page("")), ElementsAre(TurnId(103)));
}

TEST_F(RobotsFetcherTest, AFileIsLearntOfThoughAllHaveLeftMeanwhile) {
  (void)Ask(101, "http://a.test/", 3);
  EXPECT_FALSE(IsRunningFor(3)) << "waits for its turn";
  EXPECT_THAT(Started(), ElementsAre("http://a.test/robots.txt"));
  Leave(101);
  EXPECT_TRUE(IsRunningFor(3));
  EXPECT_FALSE(IsRunningFor(2));
  EXPECT_THAT(Ends(Page("")), IsEmpty());
  EXPECT_FALSE(IsRunningFor(3));
  EXPECT_EQ(Ask(102, "http://a.test/").verdict, RobotsVerdict::kAllowed);
}

TEST_F(RobotsFetcherTest, ARedirectIsAFetchWithItsOwnTurnAndHoldsForTheOriginThatWasAsked) {
  (void)Ask(101, "http://a.test/");
  EXPECT_THAT(Started(), ElementsAre("http://a.test/robots.txt"));
  FetchResult moved;
  moved.status = 301;
  moved.headers = {{.name = "location", .value = "https://b.test/rules"}};
  EXPECT_THAT(Ends(std::move(moved)), IsEmpty());
  EXPECT_EQ(Ask(102, "http://a.test/").verdict, RobotsVerdict::kPending);
  EXPECT_THAT(Started(), ElementsAre("https://b.test/rules"));
  EXPECT_THAT(Ends(Page("User-agent: *\nDisallow: /")), ElementsAre(TurnId(101), TurnId(102)));
  EXPECT_EQ(Ask(101, "http://a.test/").verdict, RobotsVerdict::kDisallowed);
}

TEST_F(RobotsFetcherTest, AHostThatIsNotThereFailsThePagesAndNothingIsLearnt) {
  (void)Ask(101, "http://a.test/");
  (void)Started();
  FetchResult gone;
  gone.failure = FailureCause::kDns;
  EXPECT_TRUE(RobotsFetcher::FailsPages(gone));
  EXPECT_THAT(Ends(std::move(gone)), ElementsAre(TurnId(101)));
  EXPECT_EQ(Ask(102, "http://a.test/").verdict, RobotsVerdict::kPending);
  EXPECT_THAT(Started(), ElementsAre("http://a.test/robots.txt"));
}

TEST_F(RobotsFetcherTest, AnErrorOfTheServerForbidsEverythingForNow) {
  (void)Ask(101, "http://a.test/");
  (void)Started();
  FetchResult broken;
  broken.status = 503;
  EXPECT_FALSE(RobotsFetcher::FailsPages(broken));
  EXPECT_THAT(Ends(std::move(broken)), ElementsAre(TurnId(101)));
  EXPECT_EQ(Ask(101, "http://a.test/").verdict, RobotsVerdict::kUnreachable);
}

TEST_F(RobotsFetcherTest, OneThatComesTooLateIsGivenUpAndBegunAnewForTheNext) {
  (void)Ask(101, "http://a.test/");
  fetches_.politeness().Rest("a.test", clock_.Now() + std::chrono::hours(1), clock_.Now());
  const auto late = fetches_.TakeLate();
  ASSERT_TRUE(late.has_value());
  ASSERT_TRUE(robots_.Has(late->id));
  EXPECT_THAT(robots_.GiveUp(late->id), ElementsAre(TurnId(101)));
  EXPECT_EQ(robots_.files(), 0u);
  EXPECT_EQ(Ask(102, "http://a.test/").verdict, RobotsVerdict::kPending);
}

TEST_F(RobotsFetcherTest, FactsAreToldOnceAndAgainWhereTheyMayBeLost) {
  (void)Ask(101, "http://a.test/");
  (void)Started();
  (void)Ends(Page("User-agent: *\nCrawl-delay: 7"));
  const std::vector<LogEntries> told = robots_.TakeFacts();
  ASSERT_EQ(told.size(), 1u);
  Arena arena;
  SpiderLogEntry entry;
  ASSERT_TRUE(Decode(told[0][0].value, &arena, &entry).ok());
  const auto& facts = std::get<HostFacts>(entry.event);
  EXPECT_EQ(facts.host, "a.test");
  EXPECT_EQ(facts.crawl_delay, seconds(7));
  (void)Ask(102, "http://a.test/");
  EXPECT_THAT(robots_.TakeFacts(), IsEmpty());
  robots_.ForgetTold();
  (void)Ask(103, "http://a.test/");
  EXPECT_EQ(robots_.TakeFacts().size(), 1u);
}

TEST_F(RobotsFetcherTest, AFileIsToldAsItCameAndOnlyWhenItComes) {
  Arena arena;
  SpiderLogEntry entry;
  const auto told = [&]() -> const HostFacts& {
    const std::vector<LogEntries> facts = robots_.TakeFacts();
    EXPECT_EQ(facts.size(), 1u);
    kept_ = std::string(facts.at(0)[0].value);
    EXPECT_TRUE(Decode(kept_, &arena, &entry).ok());
    return std::get<HostFacts>(entry.event);
  };
  (void)Ask(101, "http://a.test/");
  (void)Started();
  (void)Ends(Page("User-agent: *\nAllow: /\xff"));
  EXPECT_EQ(told().robots_txt, "User-agent: *\nAllow: /\xff");
  robots_.ForgetTold();
  (void)Ask(102, "http://a.test/");
  EXPECT_EQ(told().robots_txt, std::nullopt);
  (void)Ask(103, "http://long.a.test/");
  (void)Started();
  (void)Ends(Page(std::string(kMaxRobotsTxtBytes + 1, '#')));
  const HostFacts& cut = told();
  EXPECT_EQ(cut.robots_txt->size(), kMaxRobotsTxtBytes);
  EXPECT_EQ(cut.robots_txt_bytes, kMaxRobotsTxtBytes + 1);
  (void)Ask(104, "http://empty.a.test/");
  (void)Started();
  (void)Ends(Page(""));
  EXPECT_EQ(told().robots_txt, "");
  (void)Ask(105, "http://none.a.test/");
  (void)Started();
  FetchResult none = Page("not found");
  none.status = 404;
  (void)Ends(std::move(none));
  EXPECT_EQ(told().robots_txt, std::nullopt);
}

}  // namespace
}  // namespace orbweaver
