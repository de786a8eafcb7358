#include "tests/support/synthetic_web/judge.h"

#include <gtest/gtest.h>

namespace orbweaver::synthetic {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

SteadyTime At(int64_t ms) { return SteadyTime(milliseconds(ms)); }

Visit Page(std::string_view domain, std::string_view address = "127.0.0.1") {
  return {.domain = domain, .host = domain, .address = address, .url = "http://page/"};
}
Visit Robots(std::string_view domain, std::string_view address = "127.0.0.1") {
  Visit visit = Page(domain, address);
  visit.robots_txt = true;
  return visit;
}

// A request that is answered at once.
void Serve(Judge& judge, const Visit& visit, SteadyTime at) {
  judge.Ended(judge.Arrived(visit, at), at, std::nullopt);
}

uint64_t Total(const Verdict& verdict) {
  uint64_t total = 0;
  for (const auto& breach : verdict.breaches) total += breach.count;
  return total;
}

TEST(Judge, APoliteCrawlerIsNotAccused) {
  Judge judge({.domain_delay = milliseconds(100), .address_delay = milliseconds(50)});
  Serve(judge, Robots("a.test"), At(0));
  Serve(judge, Robots("b.test"), At(50));
  Serve(judge, Page("a.test"), At(100));
  Serve(judge, Page("b.test"), At(150));
  const Verdict verdict = judge.verdict();
  EXPECT_TRUE(verdict.polite());
  EXPECT_EQ(verdict.requests, 4u);
  EXPECT_EQ(verdict.domains, 2u);
  EXPECT_EQ(verdict.least_domain_interval, Duration(milliseconds(100)));
  EXPECT_EQ(verdict.least_address_interval, Duration(milliseconds(50)));
}

TEST(Judge, TheDelayCountsFromTheEndOfTheResponseNotFromItsRequest) {
  Judge judge({.domain_delay = milliseconds(100)});
  const auto slow = judge.Arrived(Robots("a.test"), At(0));
  judge.Ended(slow, At(80), std::nullopt);
  Serve(judge, Page("a.test"), At(120));
  const Verdict verdict = judge.verdict();
  EXPECT_EQ(verdict[Breach::kTooSoon].count, 1u);
  EXPECT_EQ(verdict.least_domain_interval, Duration(milliseconds(40)));
  EXPECT_EQ(Total(verdict), 1u);
  ASSERT_EQ(verdict[Breach::kTooSoon].examples.size(), 1u);
  EXPECT_NE(verdict[Breach::kTooSoon].examples[0].find("40.000 ms"), std::string::npos);
}

TEST(Judge, OneNanosecondTooSoonIsABreach) {
  Judge judge({.domain_delay = milliseconds(100)});
  Serve(judge, Robots("a.test"), At(0));
  Serve(judge, Page("a.test"), At(100) - Duration(1));
  EXPECT_EQ(judge.verdict()[Breach::kTooSoon].count, 1u);
}

TEST(Judge, TwoRequestsOfADomainAtOnceAreSeenAlsoOnTwoHosts) {
  Judge judge({});
  Visit one = Robots("a.test");
  Visit two = Robots("a.test");
  one.host = "x.a.test";
  two.host = "y.a.test";
  const auto first = judge.Arrived(one, At(0));
  const auto second = judge.Arrived(two, At(1));
  judge.Ended(first, At(2), std::nullopt);
  judge.Ended(second, At(3), std::nullopt);
  const Verdict verdict = judge.verdict();
  EXPECT_EQ(verdict[Breach::kOverlap].count, 1u);
  EXPECT_EQ(verdict.least_domain_interval, Duration(0));
}

TEST(Judge, DomainsThatShareAnAddressAreHeldToItsDelay) {
  Judge judge({.address_delay = milliseconds(10)});
  Serve(judge, Robots("a.test", "127.0.0.9"), At(0));
  Serve(judge, Robots("b.test", "127.0.0.9"), At(9));
  Serve(judge, Robots("c.test", "127.0.0.8"), At(9));
  EXPECT_EQ(judge.verdict()[Breach::kAddressTooSoon].count, 1u);
  EXPECT_EQ(Total(judge.verdict()), 1u);
}

TEST(Judge, CrawlDelayHoldsForItsHost) {
  Judge judge({});
  Visit page = Page("a.test");
  page.crawl_delay = seconds(2);
  Serve(judge, Robots("a.test"), At(0));
  Serve(judge, page, At(1999));
  Serve(judge, page, At(3999));
  EXPECT_EQ(judge.verdict()[Breach::kCrawlDelay].count, 1u);
}

TEST(Judge, RetryAfterBlocksTheWholeDomain) {
  Judge judge({});
  Serve(judge, Robots("a.test"), At(0));
  Serve(judge, Robots("b.test"), At(0));
  judge.Ended(judge.Arrived(Page("a.test"), At(10)), At(20), seconds(1));
  Serve(judge, Page("a.test"), At(1019));
  Serve(judge, Page("b.test"), At(1019));
  Serve(judge, Page("a.test"), At(1020));
  EXPECT_EQ(judge.verdict()[Breach::kRetryAfter].count, 1u);
}

TEST(Judge, WhatWasAskedOfAClientRightBeforeItDiedIsNotMinded) {
  Judge judge({});
  for (const char* const domain : {"a.test", "b.test"}) Serve(judge, Robots(domain), At(0));
  judge.Ended(judge.Arrived(Page("a.test"), At(10)), At(20), seconds(1));
  judge.Ended(judge.Arrived(Page("b.test"), At(30)), At(40), seconds(1));
  judge.ClientDied(At(21));
  Serve(judge, Page("b.test"), At(900));
  EXPECT_EQ(judge.verdict()[Breach::kRetryAfter].count, 0u);
  Serve(judge, Page("a.test"), At(900));
  EXPECT_EQ(judge.verdict()[Breach::kRetryAfter].count, 1u);
}

TEST(Judge, PagesAgainstOrBeforeRobotsAreSeen) {
  Judge judge({});
  Visit forbidden = Page("a.test");
  forbidden.forbidden = true;
  Serve(judge, Page("a.test"), At(0));
  Serve(judge, Robots("a.test"), At(1));
  Serve(judge, forbidden, At(2));
  EXPECT_EQ(judge.verdict()[Breach::kBeforeRobots].count, 1u);
  EXPECT_EQ(judge.verdict()[Breach::kAgainstRobots].count, 1u);
  EXPECT_EQ(Total(judge.verdict()), 2u);
}

TEST(Judge, ExamplesAreBoundedAndCountsAreNot) {
  Judge judge({.domain_delay = seconds(1)});
  for (int i = 0; i < 1000; ++i) Serve(judge, Robots("a.test"), At(i));
  EXPECT_EQ(judge.verdict()[Breach::kTooSoon].count, 999u);
  EXPECT_EQ(judge.verdict()[Breach::kTooSoon].examples.size(), 10u);
}

}  // namespace
}  // namespace orbweaver::synthetic
