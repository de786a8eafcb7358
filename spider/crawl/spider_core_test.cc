// The spider's rules, one case a rule; a little past 400 lines, since all share one simulated
// world. spider_crash_test.cc covers crashes.
#include "spider/crawl/spider_core.h"

#include <set>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "tests/support/expect_ok.h"
#include "tests/support/spider_world.h"

namespace orbweaver {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::string_view kPage = "http://www.a.test/page";

class SpiderCoreTest : public ::testing::Test {
 protected:
  void Feed(std::string_view url, Request request = {}) {
    request.url = url;
    ASSERT_OK(world_.feed().Add(request));
    ASSERT_OK(world_.feed().Flush());
  }
  SimulatedSpider& Spider(SimulatedSpider::Options options = {}) {
    if (spider_ == nullptr) spider_ = std::make_unique<SimulatedSpider>(world_, options);
    return *spider_;
  }
  void RunToEnd() {
    Spider().StepUntil([this] { return world_.AllCommitted(); });
  }
  SpiderLogContents::Outcomes OutcomeOf(std::string_view url) {
    return world_.Log().by_url[std::string(url)];
  }

  SpiderWorld world_;
  std::unique_ptr<SimulatedSpider> spider_;
};

TEST_F(SpiderCoreTest, APageAndItsLinksGetIntoTheLogAndTheOffsetIsCommitted) {
  world_.web = [](std::string_view url) -> SimulatedAnswer {
    if (url.ends_with("/robots.txt")) {
      return {.content_type = "text/plain",
              .body = "User-agent: *\nCrawl-delay: 2\nSitemap: http://www.a.test/map.xml\n"};
    }
    return {.body = "<a href=/one>1</a><a href=http://b.test/two>2</a>"};
  };
  Feed(kPage);
  RunToEnd();
  const SpiderLogContents log = world_.Log();
  EXPECT_EQ(log.by_url.at(std::string(kPage)).pages, 1);
  EXPECT_EQ(log.links,
            (std::map<std::string, int>{{"http://www.a.test/one", 1}, {"http://b.test/two", 1}}));
  EXPECT_EQ(log.facts.at("www.a.test"), 1);
  EXPECT_EQ(log.crawl_delay_ms.at("www.a.test"), 2000);
}

// robots.txt comes at once, then it rests for the delay, and the page takes three seconds.
TEST_F(SpiderCoreTest, ItsTimeGoesIntoFetchesAndIntoWaitingForWhatItMayFetch) {
  world_.web = [](std::string_view url) {
    const auto takes = std::chrono::seconds(url.ends_with("/robots.txt") ? 0 : 3);
    return SimulatedAnswer{.takes = takes};
  };
  Feed(kPage);
  SimulatedSpider& spider = Spider({.politeness = {.delay = std::chrono::seconds(20)}});
  RunToEnd();
  std::map<std::string, double> seconds;
  spider.metrics().Visit([&seconds](MetricKind, const std::string& name, double value) {
    constexpr std::string_view kStage = "orbweaver_spider_stage_seconds";
    if (name.starts_with(kStage)) seconds[name.substr(kStage.size())] = value;
  });
  EXPECT_NEAR(seconds["{state=\"busy\"}"], 3, 0.1);
  EXPECT_NEAR(seconds["{state=\"waits_for_input\"}"], 20, 0.1);
  EXPECT_EQ(seconds["{state=\"waits_for_output\"}"], 0);
}

TEST_F(SpiderCoreTest, RobotsTxtComesFirstAndOnceForAllThatWaitForIt) {
  for (int i = 0; i < 5; ++i) Feed(fmt::format("http://www.a.test/{}", i));
  RunToEnd();
  EXPECT_EQ(world_.asked.front().first, "http://www.a.test/robots.txt");
  EXPECT_EQ(world_.AskedTimes("http://www.a.test/robots.txt"), 1);
  EXPECT_EQ(world_.asked.size(), 6u);
}

TEST_F(SpiderCoreTest, WhatRobotsTxtForbidsIsNeverAsked) {
  world_.web = [](std::string_view url) -> SimulatedAnswer {
    if (url == "http://www.a.test/robots.txt") return {.body = "User-agent: *\nDisallow: /no"};
    if (url == "http://down.test/robots.txt") return {.status = 500};
    if (url == "http://dead.test/robots.txt") return {.failure = FailureCause::kTimeoutConnect};
    if (url == "http://www.a.test/moved") return {.status = 302, .location = "/no/way"};
    return {};
  };
  for (const char* url : {"http://www.a.test/no", "http://www.a.test/moved", "http://down.test/",
                          "http://dead.test/"}) {
    Feed(url);
  }
  RunToEnd();
  EXPECT_EQ(OutcomeOf("http://www.a.test/no").cause, FailureCause::kRobots);
  EXPECT_EQ(OutcomeOf("http://www.a.test/moved").cause, FailureCause::kRobots);
  EXPECT_EQ(OutcomeOf("http://www.a.test/moved").final_url, "http://www.a.test/no/way");
  EXPECT_EQ(OutcomeOf("http://down.test/").cause, FailureCause::kRobotsUnreachable);
  EXPECT_EQ(OutcomeOf("http://dead.test/").cause, FailureCause::kTimeoutConnect);
  for (const char* url : {"http://www.a.test/no", "http://www.a.test/no/way", "http://down.test/",
                          "http://dead.test/"}) {
    EXPECT_EQ(world_.AskedTimes(url), 0) << url;
  }
}

TEST_F(SpiderCoreTest, AHostThatCannotBeReachedSaysSoAndNotThatOfItsRobotsTxt) {
  for (const auto& [host, cause] : {std::pair("nx.test", FailureCause::kDns),
                                    std::pair("in.test", FailureCause::kPrivateAddress),
                                    std::pair("closed.test", FailureCause::kRefused),
                                    std::pair("away.test", FailureCause::kUnreachable),
                                    std::pair("slow.test", FailureCause::kTimeoutFirstByte),
                                    std::pair("tls.test", FailureCause::kTlsCertificate)}) {
    world_.web = [failure = cause](std::string_view) {
      return SimulatedAnswer{.failure = failure};
    };
    const std::string url = fmt::format("http://{}/", host);
    Feed(url);
    RunToEnd();
    EXPECT_EQ(OutcomeOf(url).cause, cause);
    EXPECT_EQ(OutcomeOf(url).message, "simulated");
    EXPECT_EQ(world_.AskedTimes(url), 0);
  }
  EXPECT_EQ(world_.Log().facts.count("nx.test"), 1u);
}

TEST_F(SpiderCoreTest, ARedirectWithinTheDomainIsARequestWithItsOwnTurnAndRobotsTxt) {
  world_.web = [](std::string_view url) -> SimulatedAnswer {
    if (url.ends_with("/robots.txt")) return {.status = 404};
    if (url == kPage) return {.status = 301, .location = "http://other.a.test/there"};
    return {.body = "here"};
  };
  Feed(kPage);
  RunToEnd();
  EXPECT_EQ(OutcomeOf(kPage).pages, 1);
  EXPECT_EQ(OutcomeOf(kPage).final_url, "http://other.a.test/there");
  EXPECT_EQ(world_.AskedTimes("http://other.a.test/robots.txt"), 1);
  for (size_t i = 1; i < world_.asked.size(); ++i) {
    EXPECT_GE(world_.asked[i].second - world_.asked[i - 1].second, seconds(1)) << i;
  }
}

TEST_F(SpiderCoreTest, ARedirectToAnotherDomainIsALinkOfThatDomain) {
  world_.web = [](std::string_view url) -> SimulatedAnswer {
    if (url.ends_with("/robots.txt")) return {.status = 404};
    return {.status = 302, .location = "http://b.test/away"};
  };
  Feed(kPage);
  RunToEnd();
  EXPECT_EQ(OutcomeOf(kPage).pages, 1);
  EXPECT_EQ(OutcomeOf(kPage).status, 302u);
  EXPECT_EQ(world_.Log().links, (std::map<std::string, int>{{"http://b.test/away", 1}}));
  EXPECT_EQ(world_.AskedTimes("http://b.test/away"), 0);
}

TEST_F(SpiderCoreTest, ARedirectThatWouldWaitTooLongEndsAsALinkAndDoesNotComeBackForEver) {
  world_.web = [](std::string_view url) -> SimulatedAnswer {
    if (url.ends_with("/robots.txt")) return {.status = 404};
    if (url == kPage) return {.status = 301, .location = "/there"};
    return {.status = 429, .retry_after = minutes(10)};
  };
  // While the first waits for its second turn, another one makes the domain rest.
  Feed(kPage);
  Feed("http://www.a.test/busy");
  Spider({.politeness = {.per_domain = 2}});
  RunToEnd();
  const auto outcome = OutcomeOf(kPage);
  EXPECT_EQ(outcome.all(), 1);
}

TEST_F(SpiderCoreTest, RedirectsInACircleFail) {
  world_.web = [](std::string_view url) -> SimulatedAnswer {
    if (url.ends_with("/robots.txt")) return {.status = 404};
    return {.status = 302, .location = url == kPage ? "/b" : "/page"};
  };
  Feed(kPage);
  RunToEnd();
  EXPECT_EQ(OutcomeOf(kPage).cause, FailureCause::kRedirect);
}

TEST_F(SpiderCoreTest, AnErrorPageIsCountedAsAFailureByItsCauseAndAsNoPage) {
  world_.web = [](std::string_view) -> SimulatedAnswer { return {.status = 404}; };
  Feed(kPage);
  RunToEnd();
  EXPECT_EQ(OutcomeOf(kPage).cause, FailureCause::kHttp4xx);
  const std::string metrics = Spider().metrics().Text();
  EXPECT_NE(metrics.find("\norbweaver_spider_pages_total 0\n"), std::string::npos) << metrics;
  EXPECT_NE(metrics.find("cause=\"http_4xx\"} 1\n"), std::string::npos) << metrics;
}

TEST_F(SpiderCoreTest, RobotsTxtElsewhereHoldsForTheHostThatWasAskedAndIsAskedPolitely) {
  world_.web = [](std::string_view url) -> SimulatedAnswer {
    if (url == "http://www.a.test/robots.txt") {
      return {.status = 301, .location = "http://b.test/rules"};
    }
    if (url == "http://b.test/rules") return {.body = "User-agent: *\nDisallow: /page"};
    return {.status = 404};
  };
  Feed(kPage);
  RunToEnd();
  EXPECT_EQ(OutcomeOf(kPage).cause, FailureCause::kRobots);
  EXPECT_EQ(world_.AskedTimes("http://b.test/rules"), 1);
}

TEST_F(SpiderCoreTest, ADomainThatAsksForAPauseGetsItAndWhatWaitsIsHandedBack) {
  world_.web = [](std::string_view url) -> SimulatedAnswer {
    if (url.ends_with("/robots.txt")) return {.status = 404};
    return {.status = 503, .retry_after = minutes(5)};
  };
  for (int i = 0; i < 3; ++i) Feed(fmt::format("http://www.a.test/{}", i));
  const int64_t before_ms = world_.clock.Wall().time_since_epoch().count();
  RunToEnd();
  EXPECT_EQ(OutcomeOf("http://www.a.test/0").cause, FailureCause::kHttp5xx);
  for (int i = 1; i < 3; ++i) {
    const auto outcome = OutcomeOf(fmt::format("http://www.a.test/{}", i));
    EXPECT_EQ(outcome.handed_back, 1);
    EXPECT_EQ(outcome.reason, DeferReason::kBackOff);
    EXPECT_GE(outcome.not_before_ms, before_ms + 300'000);
  }
}

TEST_F(SpiderCoreTest, ARestIsCommittedInAHurryButNotAgainAndAgainWhereCommitsFail) {
  bool was_asked = false;
  world_.web = [&was_asked](std::string_view url) -> SimulatedAnswer {
    if (url.ends_with("/robots.txt")) return {.status = 404};
    was_asked = true;
    return {.status = 503, .retry_after = minutes(5)};
  };
  Feed("http://www.a.test/");
  std::vector<SteadyTime> commits;
  SimulatedSpider& spider = Spider({.faults = {.lost_answer = 0.98},
                                    .crawl = {.commit_interval = seconds(10)},
                                    .dies_at = [&](std::string_view point) {
                                      if (was_asked && point == "before commit") {
                                        commits.push_back(world_.clock.Now());
                                      }
                                      return false;
                                    }});
  spider.StepUntil([&] { return was_asked; });
  const SteadyTime told = world_.clock.Now();
  spider.StepUntil([&] { return world_.clock.Now() - told > minutes(1); });
  ASSERT_GE(commits.size(), 2u);
  EXPECT_LE(commits[0] - told, seconds(1));
  EXPECT_LE(commits.size(), 8u) << "one at once, and one each interval";
}

TEST_F(SpiderCoreTest, WhatWouldWaitTooLongForItsDelayIsHandedBackAndNotLost) {
  for (int i = 0; i < 50; ++i) Feed(fmt::format("http://www.a.test/{}", i), {.delay = seconds(2)});
  RunToEnd();
  int pages = 0, handed_back = 0;
  for (const auto& [url, outcome] : world_.Log().by_url) {
    EXPECT_EQ(outcome.all(), 1) << url;
    pages += outcome.pages;
    handed_back += outcome.handed_back;
  }
  EXPECT_EQ(pages + handed_back, 50);
  EXPECT_GE(pages, 10);
  EXPECT_GE(handed_back, 30);
}

TEST_F(SpiderCoreTest, NotMoreIsFetchedAtATimeThanConfigured) {
  int running = 0, most = 0;
  world_.on_begin = [&](FetchId, std::string_view) { most = std::max(most, ++running); };
  world_.on_end = [&](FetchId) { --running; };
  for (int i = 0; i < 100; ++i) Feed(fmt::format("http://h{}.test/", i));
  Spider({.crawl = {.max_fetches = 7}});
  RunToEnd();
  EXPECT_EQ(most, 7);
  EXPECT_EQ(world_.Log().by_url.size(), 100u);
}

TEST_F(SpiderCoreTest, AllRequestsTogetherKeepTheRate) {
  std::vector<SteadyTime> starts;
  world_.on_begin = [&](FetchId, std::string_view) { starts.push_back(world_.clock.Now()); };
  for (int i = 0; i < 50; ++i) Feed(fmt::format("http://h{}.test/", i));
  Spider({.politeness = {.rate = 10}});
  RunToEnd();
  ASSERT_EQ(starts.size(), 100u) << "a robots.txt each";
  for (size_t i = 11; i < starts.size(); ++i) {
    EXPECT_GE(starts[i] - starts[i - 11], seconds(1)) << i;
  }
  EXPECT_LE(starts.back() - starts.front(), seconds(12));
  EXPECT_EQ(world_.Log().by_url.size(), 50u);
}

TEST_F(SpiderCoreTest, AThousandSlowHostsDoNotHoldUpTheOthers) {
  world_.web = [](std::string_view url) -> SimulatedAnswer {
    if (url.ends_with("/robots.txt")) return {.status = 404};
    return {.body = "x", .takes = url.starts_with("http://slow") ? seconds(55) : milliseconds(20)};
  };
  for (int i = 0; i < 1000; ++i) Feed(fmt::format("http://slow{}.test/", i));
  for (int i = 0; i < 200; ++i) Feed(fmt::format("http://fast{}.test/", i));
  const SteadyTime begin = world_.clock.Now();
  auto& spider = Spider({.crawl = {.max_fetches = 1100}});
  spider.StepUntil([&] { return world_.clock.Now() > begin + seconds(10); });
  EXPECT_EQ(spider.core().flow().fetching(), 1000u);
  const SpiderLogContents log = world_.Log();
  EXPECT_EQ(log.by_url.size(), 200u);
  for (const auto& [url, outcome] : log.by_url) EXPECT_EQ(outcome.pages, 1) << url;
  RunToEnd();
  EXPECT_EQ(world_.Log().by_url.size(), 1200u);
}

TEST_F(SpiderCoreTest, AnAddressOfManyDomainsIsAskedOncePerDelay) {
  for (int i = 0; i < 5; ++i) {
    world_.addresses[fmt::format("h{}.test", i)] = *IpAddress::Parse("192.0.2.1");
    Feed(fmt::format("http://h{}.test/", i));
  }
  Spider({.politeness = {.delay = Duration{}, .address_delay = milliseconds(700)}});
  RunToEnd();
  ASSERT_EQ(world_.asked.size(), 10u);
  for (size_t i = 1; i < world_.asked.size(); ++i) {
    EXPECT_GE(world_.asked[i].second - world_.asked[i - 1].second, milliseconds(700)) << i;
  }
}

TEST_F(SpiderCoreTest, RequestsOfAWriterThatWasReplacedArePassedOver) {
  const PartitionId partition = world_.feed().PartitionOfUrl(kPage);
  ASSERT_OK(world_.feed().TakeOver(partition));
  const Offset old = world_.feed().epoch(partition);
  Feed("http://www.a.test/1");
  ASSERT_OK(world_.feed().TakeOver(partition));
  ASSERT_OK(world_.feed().AddAsOf(old, {.url = "http://www.a.test/2"}));
  Feed("http://www.a.test/3");
  RunToEnd();
  const SpiderLogContents log = world_.Log();
  EXPECT_TRUE(log.by_url.contains("http://www.a.test/1"));
  EXPECT_FALSE(log.by_url.contains("http://www.a.test/2"));
  EXPECT_TRUE(log.by_url.contains("http://www.a.test/3"));
}

TEST_F(SpiderCoreTest, AnEntryThatCannotBeReadIsKeptAndTheOthersGoOn) {
  Feed(kPage);
  ASSERT_OK(world_.feed().AddBytes(world_.feed().PartitionOfUrl(kPage), "\xff garbage"));
  Feed("http://www.a.test/after");
  RunToEnd();
  EXPECT_EQ(OutcomeOf(kPage).pages, 1);
  EXPECT_EQ(OutcomeOf("http://www.a.test/after").pages, 1);
  const PartitionId only(0);
  const auto bounds = world_.bus.NewOffsetReader().value()->Bounds("dead-letter", {&only, 1}, {});
  ASSERT_OK(bounds);
  EXPECT_EQ((*bounds)[0].end, Offset(1));
}

TEST_F(SpiderCoreTest, ARequestWithoutHostHasAnOutcomeToo) {
  EncodeBuffer buffer;
  const auto entry = Encode(
      SpiderFeedEntry{.entry =
                          Request{.url = "ftp:nothing", .fingerprint = {1, 1}, .domain = "a.test"}},
      &buffer);
  ASSERT_OK(entry);
  ASSERT_OK(world_.feed().AddBytes(world_.feed().PartitionOfUrl(kPage), *entry));
  ASSERT_OK(world_.feed().Flush());
  RunToEnd();
  EXPECT_EQ(OutcomeOf("ftp:nothing").cause, FailureCause::kBadUrl);
}

TEST_F(SpiderCoreTest, AStopHandsBackWhatWaitsAndFinishesWhatIsBeingFetched) {
  world_.web = [](std::string_view url) -> SimulatedAnswer {
    if (url.ends_with("/robots.txt")) return {.status = 404};
    return {.body = "x", .takes = seconds(3)};
  };
  for (int i = 0; i < 20; ++i) Feed(fmt::format("http://www.a.test/{}", i));
  auto& spider = Spider();
  spider.StepUntil([this] { return world_.AskedTimes("http://www.a.test/0") == 1; });
  spider.Close();
  const SpiderLogContents log = world_.Log();
  EXPECT_EQ(log.by_url.at("http://www.a.test/0").pages, 1);
  for (int i = 1; i < 20; ++i) {
    const auto& outcome = log.by_url.at(fmt::format("http://www.a.test/{}", i));
    EXPECT_EQ(outcome.handed_back, 1);
    EXPECT_EQ(outcome.reason, DeferReason::kShutdown);
  }
  EXPECT_TRUE(world_.AllCommitted());
  EXPECT_EQ(world_.asked.size(), 2u);
}

TEST_F(SpiderCoreTest, AStopHandsBackWhatTakesLongerThanItMayWait) {
  world_.web = [](std::string_view url) -> SimulatedAnswer {
    if (url.ends_with("/robots.txt")) return {.status = 404};
    return {.body = "x", .takes = minutes(3)};
  };
  Feed(kPage);
  auto& spider = Spider({.crawl = {.drain_timeout = seconds(5)}});
  spider.StepUntil([this] { return world_.AskedTimes(kPage) == 1; });
  const SteadyTime before = world_.clock.Now();
  spider.Close();
  EXPECT_LT(world_.clock.Now() - before, seconds(12));
  EXPECT_EQ(OutcomeOf(kPage).handed_back, 1);
  EXPECT_EQ(OutcomeOf(kPage).all(), 1);
  EXPECT_TRUE(world_.AllCommitted());
}

TEST_F(SpiderCoreTest, AStopWaitsForARobotsTxtSoThatTheNextOwnerDoesNotAskMeanwhile) {
  SteadyTime answered{};
  world_.web = [](std::string_view) { return SimulatedAnswer{.status = 404, .takes = seconds(4)}; };
  world_.on_end = [&](FetchId) { answered = world_.clock.Now(); };
  Feed(kPage);
  auto& spider = Spider();
  spider.StepUntil([this] { return world_.asked.size() == 1; });
  spider.Close();
  EXPECT_EQ(OutcomeOf(kPage).handed_back, 1);
  EXPECT_NE(answered, SteadyTime()) << "robots.txt is still being fetched";
}

TEST_F(SpiderCoreTest, AStopFollowsNoRedirectThatComesInMeanwhile) {
  world_.web = [](std::string_view url) -> SimulatedAnswer {
    if (url.ends_with("/robots.txt")) return {.status = 404};
    return {.status = 302, .location = "/moved", .takes = seconds(6)};
  };
  Feed(kPage);
  auto& spider = Spider();
  spider.StepUntil([this] { return world_.AskedTimes(kPage) == 1; });
  spider.Close();
  EXPECT_EQ(world_.AskedTimes("http://www.a.test/moved"), 0);
  EXPECT_EQ(OutcomeOf(kPage).all(), 1);
  EXPECT_EQ(world_.Log().links.count("http://www.a.test/moved"), 1u);
}

TEST_F(SpiderCoreTest, WhoStoodStillAsksNothingBeforeItKnowsThatItStillMay) {
  Feed("http://www.a.test/0");
  Feed("http://www.a.test/1");
  bool stands_still = false;
  auto& spider = Spider({.crawl = {.commit_interval = milliseconds(10)},
                         .session_timeout = seconds(10),
                         .dies_at = [&](std::string_view point) {
                           if (stands_still || point != "after commit") return false;
                           stands_still = world_.AskedTimes("http://www.a.test/0") == 1;
                           if (stands_still) world_.clock.Advance(seconds(11));
                           return stands_still && world_.AskedTimes("http://www.a.test/1") > 0;
                         }});
  spider.StepUntil([&] { return stands_still; });
  EXPECT_EQ(world_.AskedTimes("http://www.a.test/1"), 0) << "in the same step";
  RunToEnd();
  EXPECT_EQ(world_.AskedTimes("http://www.a.test/1"), 1);
}

TEST_F(SpiderCoreTest, WhoTakesOverDoesNotAskADomainSoonerThanItsDelay) {
  for (int i = 0; i < 8; ++i) Feed(fmt::format("http://www.a.test/{}", i));
  Spider().StepUntil([this] { return world_.Committed() >= 3; });
  spider_.reset();
  RunToEnd();
  for (size_t i = 1; i < world_.asked.size(); ++i) {
    EXPECT_GE(world_.asked[i].second - world_.asked[i - 1].second, seconds(1)) << i;
  }
}

TEST_F(SpiderCoreTest, AMarkerAboveTheCommitDoesNotHideWhatStandsBelowIt) {
  // The first request is slow, so that the commit stays before it; a marker and a request of the
  // new epoch follow. The next spider must take the first one for valid again.
  const PartitionId partition = world_.feed().PartitionOfUrl(kPage);
  ASSERT_OK(world_.feed().TakeOver(partition));
  world_.web = [](std::string_view url) -> SimulatedAnswer {
    if (url.ends_with("/robots.txt")) return {.status = 404};
    return {.body = "x", .takes = url == kPage ? Duration(minutes(1)) : milliseconds(1)};
  };
  Feed(kPage);
  ASSERT_OK(world_.feed().TakeOver(partition));
  Spider().StepUntil([this] { return world_.AskedTimes(kPage) == 1 && world_.Committed() >= 1; });
  const SteadyTime now = world_.clock.Now();
  spider_->StepUntil([&] { return world_.clock.Now() > now + seconds(5); });
  EXPECT_FALSE(world_.AllCommitted());
  spider_.reset();
  RunToEnd();
  EXPECT_EQ(OutcomeOf(kPage).pages, 1);
  EXPECT_EQ(world_.AskedTimes(kPage), 2);
}

TEST_F(SpiderCoreTest, StatusNamesTheSlowestAndTheBackedOff) {
  world_.web = [](std::string_view url) -> SimulatedAnswer {
    if (url.ends_with("/robots.txt")) return {.status = 404};
    if (url.starts_with("http://angry")) return {.status = 429, .retry_after = hours(1)};
    return {.body = "x", .takes = seconds(4)};
  };
  Feed("http://slow.test/");
  Feed("http://angry.test/");
  RunToEnd();
  const SteadyTime now = world_.clock.Now();
  Spider().StepUntil([&] { return world_.clock.Now() > now + seconds(3); });
  std::string text;
  JsonWriter json(&text);
  Spider().core().WriteStatus(json);
  EXPECT_NE(text.find("\"domain\":\"slow.test\",\"last_request_s\":4"), std::string::npos) << text;
  const size_t backed_off = text.find("backed_off");
  EXPECT_NE(text.find("angry.test", backed_off), std::string::npos) << text;
  EXPECT_EQ(text.find("slow.test", backed_off), std::string::npos) << text;
}

}  // namespace
}  // namespace orbweaver
