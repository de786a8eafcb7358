// Assets, which the worker requests by itself, whatever the strategy.
#include "strategy_worker/core/own_requests.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "strategy_worker/core/strategy_core.h"
#include "tests/support/expect_ok.h"
#include "tests/support/own_requests_fixture.h"

namespace orbweaver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST_F(OwnRequestsTest, WhatAPageEmbedsIsFetchedWhereverItLiesAndNoStrategyIsAsked) {
  Begin({.kind = ScopeKind::kHost, .assets = true});
  AppendSeeds("a.test", {"https://a.test/"});
  Step();
  shown_.clear(), filtered_.clear(), calls_ = 0;
  AppendFound("a.test", {Embedded("https://a.test/1.png"), To("https://a.test/2"),
                         Embedded("https://cdn.a.test/3.css"), To("https://cdn.a.test/4")});
  AppendFound("b.test", {Embedded("https://b.test/5.js"), To("https://b.test/6"),
                         To("https://b.test/7", LinkKind::kFrame)});
  Step();
  EXPECT_THAT(Requested(),
              UnorderedElementsAre("https://a.test/", "https://a.test/2", "https://a.test/1.png",
                                   "https://cdn.a.test/3.css", "https://b.test/5.js"));
  EXPECT_THAT(Own(), UnorderedElementsAre(Pair("https://a.test/1.png", "1i"),
                                          Pair("https://cdn.a.test/3.css", "1"),
                                          Pair("https://b.test/5.js", "1")));
  EXPECT_THAT(shown_, ElementsAre("https://a.test/2"));
  EXPECT_THAT(filtered_, ElementsAre("https://a.test/2"));
  EXPECT_EQ(calls_, 1) << "a page that only embeds says nothing to a strategy";
  EXPECT_EQ(CountOf("beyond_seeds"), 3u);
  const ReadRequest png = world_.ReadRequests()[2];
  EXPECT_EQ(png.url, "https://a.test/1.png");
  EXPECT_EQ(png.depth, 4u);
  EXPECT_EQ(png.score, kOwnScore);
}

TEST_F(OwnRequestsTest, AnAssetThatIsFetchedAgainByAnOrderCountsInNoCapEither) {
  Begin({.kind = ScopeKind::kDomain, .assets = true});
  AppendFailure("a.test", "https://a.test/1.png", Asset(1, true), 0, FailureCause::kHttp4xx);
  const Meta mark = Asset(1, true);
  world_.Append(
      {.domain = "a.test",
       .event = UrlOrder{.url = "https://a.test/1.png", .fetch_again = true, .meta = {&mark, 1}}});
  Step();
  EXPECT_THAT(Own(), ElementsAre(Pair("https://a.test/1.png", "1i")));
  EXPECT_EQ(world_.RecordOf("a.test")->scheduled, 0u);
}

TEST_F(OwnRequestsTest, AssetsCountInNoCapOfAStrategy) {
  Begin({.kind = ScopeKind::kDomain, .assets = true});
  AppendSeeds("a.test", {"https://a.test/"});
  AppendFound("a.test", {Embedded("https://a.test/1.png"), Embedded("https://a.test/2.png")});
  AppendPage("a.test", "https://a.test/1.png", Asset(1, true), "image/png");
  AppendFailure("a.test", "https://a.test/2.png", Asset(1, true), 0, FailureCause::kHttp4xx);
  Step();
  AppendFound("a.test", {To("https://a.test/3")});
  Step();
  EXPECT_EQ(known_urls_, 1u) << "the seed alone";
  EXPECT_EQ(fetched_, 0u);
  const DomainRecord record = *world_.RecordOf("a.test");
  EXPECT_EQ(record.scheduled, 2u);
  EXPECT_EQ(record.fetched, 0u);
  EXPECT_EQ(record.failed, 0u);
  EXPECT_EQ(record.assets, 2u);
  EXPECT_EQ(record.known_urls, 4u);
  EXPECT_EQ(world_.StateOf("a.test", "https://a.test/1.png")->status, LinkStatus::kCrawled);
  EXPECT_EQ(world_.StateOf("a.test", "https://a.test/2.png")->status, LinkStatus::kGone);
}

TEST_F(OwnRequestsTest, EachIsFetchedOnceHoweverOftenItIsEmbeddedAndWhoeverReadsTheLog) {
  Begin({.kind = ScopeKind::kDomain, .assets = true});
  AppendFound("b.test", {Embedded("https://b.test/1.png")});
  AppendFound("b.test", {Embedded("https://b.test/1.png"), Embedded("https://b.test/2.png")});
  Step();
  Begin({.kind = ScopeKind::kDomain, .assets = true});
  AppendFound("b.test", {Embedded("https://b.test/2.png")});
  Step();
  EXPECT_THAT(Requested(), ElementsAre("https://b.test/1.png", "https://b.test/2.png"));
}

TEST_F(OwnRequestsTest, OnlyWhatTheyEmbedIsFetchedOfAssetsOutOfScope) {
  Begin({.kind = ScopeKind::kDomain, .assets = true});
  const Meta foreign = Asset(1, false);
  AppendSeeds("b.test", {"https://b.test/"});
  AppendFound("b.test",
              {Embedded("https://b.test/font.woff"), To("https://b.test/1"),
               To("https://b.test/moved.css", LinkKind::kRedirect)},
              {&foreign, 1});
  Step();
  EXPECT_THAT(Own(), ElementsAre(Pair("https://b.test/font.woff", "2i"),
                                 Pair("https://b.test/moved.css", "2i")));
  EXPECT_THAT(Requested(), ElementsAre("https://b.test/", "https://b.test/font.woff",
                                       "https://b.test/moved.css"));
}

TEST_F(OwnRequestsTest, AChainOfStyleSheetsEnds) {
  Begin({.kind = ScopeKind::kDomain, .assets = true});
  for (uint32_t steps = 1; steps <= kMaxOwnSteps; ++steps) {
    const Meta meta = Asset(steps, false);
    const std::string next = "https://b.test/" + std::to_string(steps) + ".css";
    AppendFound("b.test", {Embedded(next)}, {&meta, 1});
  }
  Step();
  EXPECT_EQ(Requested().size(), kMaxOwnSteps - 1);
  EXPECT_EQ(CountOf("beyond_seeds"), 1u);
}

TEST_F(OwnRequestsTest, ADocumentInScopeIsAPageAlsoWhereOneEmbedsIt) {
  Begin({.kind = ScopeKind::kDomain, .assets = true});
  AppendSeeds("a.test", {"https://a.test/"});
  Step();
  calls_ = 0;
  const Meta inside = Asset(1, true);
  AppendPage("a.test", "https://a.test/object.html", inside, "text/html");
  AppendFound("a.test", {To("https://a.test/2")}, {&inside, 1});
  Step();
  EXPECT_EQ(calls_, 2);
  EXPECT_EQ(fetched_, 1u);
  EXPECT_THAT(Requested(), ElementsAre("https://a.test/", "https://a.test/2"));
  AppendPage("b.test", "https://b.test/object.html", Asset(1, false), "text/html");
  Step();
  EXPECT_EQ(calls_, 2);
}

TEST_F(OwnRequestsTest, ExcludeHoldsForAssetsAndIncludeIsAboutPages) {
  Begin({.kind = ScopeKind::kDomain,
         .assets = true,
         .include = {"/blog/*"},
         .exclude = {"*.gif", "ads.test"}});
  AppendSeeds("a.test", {"https://a.test/blog/"});
  AppendFound("a.test", {Embedded("https://a.test/1.png"), Embedded("https://a.test/2.gif"),
                         To("https://a.test/3")});
  AppendFound("ads.test", {Embedded("https://ads.test/1.png")});
  Step();
  EXPECT_THAT(Requested(), ElementsAre("https://a.test/blog/", "https://a.test/1.png"));
  EXPECT_EQ(CountOf("excluded"), 2u);
}

TEST_F(OwnRequestsTest, WithoutTheOptionEmbedsAreTheStrategys) {
  Begin({.kind = ScopeKind::kDomain});
  AppendSeeds("a.test", {"https://a.test/"});
  AppendFound("a.test", {Embedded("https://a.test/1.png")});
  AppendFound("b.test", {Embedded("https://b.test/2.png")});
  Step();
  EXPECT_THAT(shown_, ElementsAre("https://a.test/", "https://a.test/1.png"));
  EXPECT_THAT(Own(), IsEmpty());
}

TEST_F(OwnRequestsTest, AFailureThatMayPassIsTriedAgainTwiceAsLateEachTime) {
  options_.own_retries = 2;
  options_.own_retry_delay = std::chrono::seconds(10);
  Begin({.kind = ScopeKind::kDomain, .assets = true});
  AppendFound("b.test", {Embedded("https://b.test/1.png")});
  Step();
  for (uint32_t attempt = 0; attempt <= 2; ++attempt) {
    AppendFailure("b.test", "https://b.test/1.png", Asset(1, false), attempt, FailureCause::kReset);
    Step();
  }
  const std::vector<ReadRequest> requests = world_.ReadRequests();
  ASSERT_EQ(requests.size(), 3u);
  const int64_t now = world_.clock.Wall().time_since_epoch().count();
  for (uint32_t attempt = 1; attempt <= 2; ++attempt) {
    EXPECT_EQ(requests[attempt].attempt, attempt);
    EXPECT_EQ(requests[attempt].not_before_ms - now, 10'000 * attempt);
    EXPECT_EQ(requests[attempt].meta, requests[0].meta);
  }
  EXPECT_EQ(calls_, 0);
  EXPECT_EQ(world_.StateOf("b.test", "https://b.test/1.png")->status, LinkStatus::kError);
}

TEST_F(OwnRequestsTest, AFailedOneThatIsAskedForAgainStaysWhatItWas) {
  Begin({.kind = ScopeKind::kDomain, .assets = true});
  AppendFound("b.test", {Embedded("https://b.test/1.png")});
  const Meta meta = Asset(1, false);
  AppendFailure("b.test", "https://b.test/1.png", meta, 0, FailureCause::kHttp4xx);
  Step();
  const Seed again{.url = "https://b.test/1.png", .meta = {&meta, 1}};
  for (int i = 0; i < 2; ++i) {
    world_.Append({.domain = "b.test", .event = Seeds{.seeds = {&again, 1}, .only_failed = true}});
  }
  Step();
  EXPECT_THAT(Own(),
              ElementsAre(Pair("https://b.test/1.png", "1"), Pair("https://b.test/1.png", "1")));
  EXPECT_EQ(calls_, 0);
  EXPECT_EQ(world_.RecordOf("b.test")->assets, 1u);
  EXPECT_EQ(world_.RecordOf("b.test")->seed_places, "");
}

}  // namespace
}  // namespace orbweaver
