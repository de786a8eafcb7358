// The section numbers are those of RFC 9309.
#include "spider/robots/robots_cache.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::string_view kHost = "https://example.com";
constexpr std::string_view kRules =
    "User-agent: *\nDisallow: /private\nCrawl-delay: 3\n"
    "Sitemap: https://example.com/s.xml\n";

class RobotsCacheTest : public testing::Test {
 protected:
  RobotsVerdict Ask(std::string_view path, std::string_view host = kHost) {
    return cache_.Ask(host, path).verdict;
  }
  // Asks for the host's robots.txt and gets this answer.
  void Learn(const RobotsAnswer& answer, std::string_view host = kHost) {
    ASSERT_EQ(RobotsVerdict::kFetch, Ask("/", host));
    ASSERT_EQ(std::nullopt, cache_.OnAnswer(host, answer));
  }

  ManualClock clock_;
  RobotsCache cache_{{.cache_bytes = 10'000}, clock_};
};

TEST_F(RobotsCacheTest, AHostIsAskedForItsFileOnceByWhoeverComesFirst) {
  EXPECT_EQ(RobotsVerdict::kFetch, Ask("/a"));
  EXPECT_EQ(RobotsVerdict::kPending, Ask("/b"));
  EXPECT_EQ(RobotsVerdict::kFetch, Ask("/a", "http://example.com")) << "another origin";
  cache_.OnAnswer(kHost, {.status = 200, .body = kRules});
  EXPECT_EQ(RobotsVerdict::kAllowed, Ask("/a"));
  EXPECT_EQ(RobotsVerdict::kDisallowed, Ask("/private/x"));
  EXPECT_EQ("/private", cache_.Ask(kHost, "/private/x").decision.path);
}

TEST_F(RobotsCacheTest, AnAbandonedFetchIsBegunAgain) {
  EXPECT_EQ(RobotsVerdict::kFetch, Ask("/a"));
  cache_.OnAbandoned(kHost);
  EXPECT_EQ(RobotsVerdict::kFetch, Ask("/a"));
}

TEST_F(RobotsCacheTest, RulesAreKeptForADay_2_4) {
  Learn({.status = 200, .body = kRules});
  clock_.Advance(hours(24) - seconds(1));
  EXPECT_EQ(RobotsVerdict::kDisallowed, Ask("/private"));
  clock_.Advance(seconds(1));
  EXPECT_EQ(RobotsVerdict::kFetch, Ask("/private"));
  EXPECT_EQ(RobotsVerdict::kPending, Ask("/private"));
}

TEST_F(RobotsCacheTest, AMissingFileAllowsAll_2_3_1_3) {
  for (const uint32_t status : {400u, 401u, 403u, 404u, 410u, 499u}) {
    const std::string host = "http://h" + std::to_string(status);
    Learn({.status = status, .body = "User-agent: *\nDisallow: /"}, host);
    EXPECT_EQ(RobotsVerdict::kAllowed, Ask("/private", host)) << status;
  }
}

TEST_F(RobotsCacheTest, AnUnreachableFileForbidsAllAndIsAskedForAgainLaterAndLater_2_3_1_4) {
  for (const uint32_t status : {0u, 429u, 500u, 503u, 599u, 100u}) {
    const std::string host = "http://h" + std::to_string(status);
    Learn({.status = status}, host);
    EXPECT_EQ(RobotsVerdict::kUnreachable, Ask("/", host)) << status;
  }
  Duration wait = minutes(1);
  Learn({});
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(clock_.Now() + wait, cache_.Ask(kHost, "/").retry_at);
    clock_.Advance(wait - Duration(1));
    EXPECT_EQ(RobotsVerdict::kUnreachable, Ask("/"));
    clock_.Advance(Duration(1));
    Learn({});
    wait = std::min<Duration>(2 * wait, hours(1));
  }
  clock_.Advance(hours(1));
  Learn({.status = 200, .body = kRules});
  clock_.Advance(hours(24));
  Learn({});
  EXPECT_EQ(clock_.Now() + minutes(1), cache_.Ask(kHost, "/").retry_at) << "it had recovered";
}

TEST_F(RobotsCacheTest, OnAHostThatIsIgnoredNothingIsForbiddenAndTheFileIsToldAllTheSame) {
  RobotsCache cache({.ignore_hosts = {"Example.com", "b.test:8000"}, .cache_bytes = 10'000},
                    clock_);
  const auto learn = [&cache](std::string_view host, const RobotsAnswer& answer) {
    EXPECT_EQ(RobotsVerdict::kFetch, cache.Ask(host, "/").verdict);
    EXPECT_EQ(RobotsVerdict::kPending, cache.Ask(host, "/").verdict);
    EXPECT_EQ(std::nullopt, cache.OnAnswer(host, answer));
    return cache.Ask(host, "/private");
  };
  const RobotsAsked asked = learn(kHost, {.status = 200, .body = kRules});
  EXPECT_EQ(RobotsVerdict::kAllowed, asked.verdict);
  EXPECT_EQ(seconds(3), asked.crawl_delay);
  HostFacts facts;
  EXPECT_TRUE(cache.DescribeHost(kHost, &facts));
  EXPECT_EQ(facts.sitemaps.size(), 1u);
  EXPECT_EQ(RobotsVerdict::kAllowed, learn("http://example.com:8080", {.status = 503}).verdict);
  EXPECT_EQ(RobotsVerdict::kAllowed, learn("http://b.test:8000", {.status = 0}).verdict);
  for (const char* other : {"http://b.test", "http://b.test:80001", "http://www.example.com",
                            "http://example.com.evil.test", "http://example.co"}) {
    EXPECT_EQ(RobotsVerdict::kDisallowed, learn(other, {.status = 200, .body = kRules}).verdict)
        << other;
  }
}

TEST_F(RobotsCacheTest, OnlyHostsCanBeIgnored) {
  EXPECT_TRUE(CheckRobotsOptions({.ignore_hosts = {"a.test", "localhost:8000", "[::1]"}}).ok());
  for (const char* host : {"", "*", "*.a.test", "http://a.test", "a.test/x"}) {
    EXPECT_FALSE(CheckRobotsOptions({.ignore_hosts = {host}}).ok()) << host;
  }
}

TEST_F(RobotsCacheTest, AnUnreachableFileSaysWhy) {
  Learn({.failure = FailureCause::kRefused, .message = "nobody listens"});
  EXPECT_EQ(cache_.Ask(kHost, "/").failure, FailureCause::kRefused);
  EXPECT_EQ(cache_.Ask(kHost, "/").message, "nobody listens");
  clock_.Advance(minutes(1));
  Learn({.status = 503});
  EXPECT_EQ(cache_.Ask(kHost, "/").failure, std::nullopt);
  EXPECT_EQ(cache_.Ask(kHost, "/").status, 503u);
}

TEST_F(RobotsCacheTest, RulesThatWereKnownDoNotOutliveAnUnreachableFile_2_3_1_4) {
  Learn({.status = 200, .body = kRules});
  clock_.Advance(hours(24));
  Learn({.status = 503});
  EXPECT_EQ(RobotsVerdict::kUnreachable, Ask("/a"));
}

TEST_F(RobotsCacheTest, FiveRedirectsAreFollowedAndCountForTheAskingHost_2_3_1_2) {
  ASSERT_EQ(RobotsVerdict::kFetch, Ask("/"));
  for (int i = 0; i < 5; ++i) {
    const std::string next = "https://elsewhere.org/" + std::to_string(i);
    EXPECT_EQ(next, cache_.OnAnswer(kHost, {.status = 301, .location = next}));
    EXPECT_EQ(RobotsVerdict::kPending, Ask("/"));
  }
  EXPECT_EQ(std::nullopt, cache_.OnAnswer(kHost, {.status = 200, .body = kRules}));
  EXPECT_EQ(RobotsVerdict::kDisallowed, Ask("/private"));
  EXPECT_EQ(RobotsVerdict::kFetch, Ask("/private", "https://elsewhere.org"));
}

TEST_F(RobotsCacheTest, ASixthRedirectIsNoFile_2_3_1_2) {
  ASSERT_EQ(RobotsVerdict::kFetch, Ask("/"));
  const RobotsAnswer redirect{.status = 302, .location = "https://example.com/loop"};
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(cache_.OnAnswer(kHost, redirect).has_value());
  EXPECT_EQ(std::nullopt, cache_.OnAnswer(kHost, redirect));
  EXPECT_EQ(RobotsVerdict::kAllowed, Ask("/private"));
  clock_.Advance(hours(24));
  ASSERT_EQ(RobotsVerdict::kFetch, Ask("/"));
  EXPECT_TRUE(cache_.OnAnswer(kHost, redirect).has_value()) << "the next fetch has its own five";
}

TEST_F(RobotsCacheTest, ARedirectToNowhereIsNoFile_2_3_1_2) {
  Learn({.status = 301});
  EXPECT_EQ(RobotsVerdict::kAllowed, Ask("/private"));
}

TEST_F(RobotsCacheTest, ALateAnswerChangesNothing) {
  EXPECT_EQ(std::nullopt, cache_.OnAnswer(kHost, {.status = 500}));
  Learn({.status = 200, .body = kRules});
  EXPECT_EQ(std::nullopt, cache_.OnAnswer(kHost, {.status = 301, .location = "https://b.org/"}));
  EXPECT_EQ(RobotsVerdict::kAllowed, Ask("/a"));
}

TEST_F(RobotsCacheTest, TheHostsFactsAreWhatTheFileSays) {
  HostFacts facts;
  EXPECT_FALSE(cache_.DescribeHost(kHost, &facts));
  ASSERT_EQ(RobotsVerdict::kFetch, Ask("/"));
  EXPECT_FALSE(cache_.DescribeHost(kHost, &facts)) << "not known yet";
  cache_.OnAnswer(kHost, {.status = 203, .body = kRules});
  ASSERT_TRUE(cache_.DescribeHost(kHost, &facts));
  EXPECT_EQ(RobotsOutcome::kRules, facts.robots);
  EXPECT_EQ(203u, facts.robots_status);
  EXPECT_EQ(seconds(3), facts.crawl_delay);
  ASSERT_EQ(1u, facts.sitemaps.size());
  EXPECT_EQ("https://example.com/s.xml", facts.sitemaps[0]);

  clock_.Advance(hours(24));
  Learn({.status = 500});
  ASSERT_TRUE(cache_.DescribeHost(kHost, &facts));
  EXPECT_EQ(RobotsOutcome::kDisallowAll, facts.robots);
  EXPECT_EQ(std::nullopt, facts.crawl_delay);
  EXPECT_TRUE(facts.sitemaps.empty());
}

TEST_F(RobotsCacheTest, FactsThatMayBeLostAreToldAgainAndOnce) {
  HostFacts facts;
  Learn({.status = 200, .body = kRules});
  ASSERT_TRUE(cache_.DescribeHost(kHost, &facts));
  EXPECT_FALSE(cache_.IsUntold(kHost));
  cache_.ForgetTold();
  EXPECT_TRUE(cache_.IsUntold(kHost));
  EXPECT_FALSE(cache_.IsUntold("https://b.test")) << "nothing is known of it";
  ASSERT_TRUE(cache_.DescribeHost(kHost, &facts));
  EXPECT_FALSE(cache_.IsUntold(kHost));
  cache_.ForgetTold();
  EXPECT_TRUE(cache_.IsUntold(kHost));
}

TEST_F(RobotsCacheTest, AHostThatNamesNoSitemapHasTheUsualOneWhereOneIsLookedFor) {
  RobotsCache cache({.product_token = "bot", .cache_bytes = 10'000, .guess_sitemaps = true},
                    clock_);
  const auto sitemaps = [&cache](std::string_view host, const RobotsAnswer& answer) {
    EXPECT_EQ(RobotsVerdict::kFetch, cache.Ask(host, "/").verdict);
    EXPECT_EQ(std::nullopt, cache.OnAnswer(host, answer));
    HostFacts facts;
    EXPECT_TRUE(cache.DescribeHost(host, &facts));
    return std::vector<std::string>(facts.sitemaps.begin(), facts.sitemaps.end());
  };
  using Urls = std::vector<std::string>;
  EXPECT_EQ(Urls{"http://a.test:81/sitemap.xml"}, sitemaps("http://a.test:81", {.status = 404}));
  EXPECT_EQ(Urls{"https://b.test/sitemap.xml"},
            sitemaps("https://b.test", {.status = 200, .body = "User-agent: *\nDisallow: /x"}));
  EXPECT_EQ(Urls{"https://c.test/1"},
            sitemaps("https://c.test", {.status = 200, .body = "Sitemap: https://c.test/1"}));
  EXPECT_EQ(Urls(), sitemaps("https://d.test",
                             {.status = 200, .body = "User-agent: *\nDisallow: /sitemap"}));
  EXPECT_EQ(Urls(), sitemaps("https://e.test", {.status = 503}));
}

TEST_F(RobotsCacheTest, MemoryIsBoundedAndWhatWasNotAskedForTheLongestGoesFirst) {
  Learn({.status = 200, .body = kRules}, "http://kept");
  for (int i = 0; i < 1000; ++i) {
    Learn({.status = 200, .body = kRules}, "http://host" + std::to_string(i));
    ASSERT_LE(cache_.held_bytes(), 10'000u);
    ASSERT_EQ(RobotsVerdict::kDisallowed, Ask("/private", "http://kept"));
  }
  EXPECT_GT(cache_.hosts(), 5u);
  EXPECT_LT(cache_.hosts(), 100u);
  EXPECT_EQ(RobotsVerdict::kFetch, Ask("/", "http://host0"));
}

TEST_F(RobotsCacheTest, AFileLargerThanTheBoundDoesNotEndTheProcess) {
  std::string file = "User-agent: *\n";
  for (int i = 0; i < 1000; ++i) file += "Disallow: /path" + std::to_string(i) + "\n";
  Learn({.status = 200, .body = file}, "http://large");
  Learn({.status = 500}, "http://other");
  EXPECT_EQ(RobotsVerdict::kFetch, Ask("/", "http://large"));
}

TEST_F(RobotsCacheTest, AFileLargerThanTheBoundIsKnownToThoseWhoWaitForIt) {
  std::string file = "User-agent: *\n";
  for (int i = 0; i < 1000; ++i) file += "Disallow: /path" + std::to_string(i) + "\n";
  ASSERT_EQ(RobotsVerdict::kFetch, Ask("/", "http://large"));
  Learn({.status = 200, .body = kRules}, "http://other");
  ASSERT_EQ(std::nullopt, cache_.OnAnswer("http://large", {.status = 200, .body = file}));
  EXPECT_EQ(RobotsVerdict::kAllowed, Ask("/", "http://large"));
  EXPECT_EQ(RobotsVerdict::kDisallowed, Ask("/path7", "http://large"));
}

TEST_F(RobotsCacheTest, PendingHostsAreNotForgotten) {
  ASSERT_EQ(RobotsVerdict::kFetch, Ask("/", "http://pending"));
  for (int i = 0; i < 100; ++i) {
    Learn({.status = 200, .body = kRules}, "http://host" + std::to_string(i));
  }
  EXPECT_EQ(RobotsVerdict::kPending, Ask("/", "http://pending"));
}

}  // namespace
}  // namespace orbweaver
