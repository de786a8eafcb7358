// Spiders that die, are fenced, and share their partitions out anew, on a bus that fails: nothing
// is lost, and little is fetched twice. Everything is drawn from a seed, in virtual time.
#include <memory>
#include <string>
#include <vector>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/random.h"
#include "tests/support/expect_ok.h"
#include "tests/support/spider_world.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kDomains = 40;
constexpr size_t kWindow = 30;

std::string UrlOf(int number) {
  return fmt::format("http://www.d{}.test/{}", number % kDomains, number);
}

// A web on which a bit of everything goes wrong.
SimulatedAnswer Serve(std::string_view url, Random& random) {
  const Duration takes = milliseconds(1 + random.Below(400));
  if (url.ends_with("/robots.txt")) return {.status = 404, .takes = takes};
  switch (random.Below(12)) {
    case 0:
      return {.failure = FailureCause::kReset, .takes = takes};
    case 1:
      return {.status = 404, .takes = takes};
    case 2:
      return {.status = 302, .location = "/moved", .takes = takes};
    case 3:
      return {.status = 302, .location = "http://elsewhere.test/", .takes = takes};
    case 4:
      return {.failure = FailureCause::kTimeoutTotal, .takes = seconds(8)};
    default:
      return {.body = "<a href=/x>x</a><a href=http://y.test/>y</a>", .takes = takes};
  }
}

class SpiderCrashTest : public ::testing::TestWithParam<int> {
 protected:
  SpiderCrashTest() : random_(static_cast<uint64_t>(GetParam())) {
    world_.web = [this](std::string_view url) { return Serve(url, random_); };
  }

  void Feed(int count) {
    for (int p = 0; p < SpiderWorld::kPartitions; ++p) {
      ASSERT_OK(world_.feed().TakeOver(PartitionId(p)));
    }
    for (int i = 0; i < count; ++i) {
      ASSERT_OK(world_.feed().Add({.url = UrlOf(i)}));
      // Another owner of the partition, now and then.
      if (random_.Chance(0.02)) {
        ASSERT_OK(world_.feed().TakeOver(PartitionId(static_cast<int>(random_.Below(4)))));
      }
    }
    ASSERT_OK(world_.feed().Flush());
  }

  SimulatedSpider::Options Options() {
    SimulatedSpider::Options options;
    options.crawl.window = kWindow;
    options.crawl.max_fetches = 20;
    options.crawl.commit_interval = milliseconds(200);
    options.politeness.delay = milliseconds(100);
    return options;
  }

  // Pages and failures beyond the first of each request; a request that was handed back may have
  // been answered before.
  static int Repeated(const SpiderLogContents& log) {
    int repeated = 0;
    for (const auto& [url, outcome] : log.by_url) repeated += outcome.all() - 1;
    return repeated;
  }

  Random random_;
  SpiderWorld world_;
};

TEST_P(SpiderCrashTest, KilledAnywhereNothingIsLostAndNotMoreThanAWindowIsRepeated) {
  constexpr int kRequests = 400;
  constexpr int kKills = 6;
  Feed(kRequests);
  for (int kill = 0; kill < kKills; ++kill) {
    auto options = Options();
    options.faults = {.seed = random_(),
                      .max_append_delay = milliseconds(300),
                      .max_ack_delay = milliseconds(300)};
    // At some point of its dealings with the bus, after it has done some of them.
    int points = static_cast<int>(200 + random_.Below(3000));
    options.dies_at = [&points](std::string_view) { return --points == 0; };
    const int before = Repeated(world_.Log());
    SimulatedSpider spider(world_, options);
    spider.StepUntil([this] { return world_.AllCommitted(); });
    ASSERT_FALSE(HasFatalFailure());
    EXPECT_LE(Repeated(world_.Log()) - before, static_cast<int>(kWindow));
  }
  SimulatedSpider last(world_, Options());
  last.StepUntil([this] { return world_.AllCommitted(); });
  const SpiderLogContents log = world_.Log();
  ASSERT_EQ(log.by_url.size(), static_cast<size_t>(kRequests));
  EXPECT_EQ(log.facts.size(), static_cast<size_t>(kDomains));
  EXPECT_LE(Repeated(log), kKills * (static_cast<int>(kWindow)));
}

TEST_P(SpiderCrashTest, TwoSpidersOnABusThatFailsLoseNothing) {
  constexpr int kRequests = 300;
  Feed(kRequests);
  std::vector<std::unique_ptr<SimulatedSpider>> spiders;
  for (const char* name : {"first", "second"}) {
    auto options = Options();
    options.name = name;
    options.faults = {.seed = random_(),
                      .max_append_delay = milliseconds(200),
                      .max_ack_delay = milliseconds(200),
                      .lost_record = 0.0005,
                      .max_latency = milliseconds(20),
                      .unavailable = 0.01,
                      .lost_answer = 0.02,
                      .rebalance = 0.002,
                      .eviction = 0.001,
                      .mix_partitions = true};
    spiders.push_back(std::make_unique<SimulatedSpider>(world_, options));
  }
  const SteadyTime end = world_.clock.Now() + std::chrono::hours(1);
  while (!world_.AllCommitted()) {
    ASSERT_LT(world_.clock.Now(), end);
    spiders[random_.Below(2)]->Step(milliseconds(10));
    ASSERT_FALSE(HasFatalFailure());
  }
  EXPECT_EQ(world_.Log().by_url.size(), static_cast<size_t>(kRequests));
}

TEST_P(SpiderCrashTest, WhatARobotsTxtSaysIsToldThoughRecordsOfTheLogAreLost) {
  Feed(300);
  auto options = Options();
  options.faults = {.seed = random_(), .lost_record = 0.02};
  SimulatedSpider spider(world_, options);
  spider.StepUntil([this] { return world_.AllCommitted(); });
  ASSERT_FALSE(HasFatalFailure());
  // Nobody else tells of its sitemaps, and the file is not asked for again today.
  EXPECT_EQ(world_.Log().facts.size(), static_cast<size_t>(kDomains));
}

TEST_P(SpiderCrashTest, GivenUpInGoodOrderAPartitionIsFetchedOnce) {
  constexpr int kRequests = 300;
  Feed(kRequests);
  std::vector<std::unique_ptr<SimulatedSpider>> spiders;
  const auto add = [&](const std::string& name) {
    auto options = Options();
    options.name = name;
    spiders.push_back(std::make_unique<SimulatedSpider>(world_, options));
  };
  add("a");
  const SteadyTime end = world_.clock.Now() + std::chrono::hours(1);
  for (int steps = 0; !world_.AllCommitted(); ++steps) {
    ASSERT_LT(world_.clock.Now(), end);
    for (auto& spider : spiders) spider->Step(milliseconds(10));
    ASSERT_FALSE(HasFatalFailure());
    if (steps == 40) add("b");
    if (steps == 90) add("c");
    if (steps == 150) {
      spiders[0]->Close();
      spiders.erase(spiders.begin());
    }
  }
  const SpiderLogContents log = world_.Log();
  EXPECT_EQ(log.by_url.size(), static_cast<size_t>(kRequests));
  EXPECT_EQ(Repeated(log), 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SpiderCrashTest, ::testing::Range(1, 13));

}  // namespace
}  // namespace orbweaver
