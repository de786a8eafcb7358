#include "orbweaver/crawl_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orbweaver/test_driver.h"

namespace orbweaver::sdk {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class Ruled final : public Strategy {
  CrawlRules rules_{this};
  void Filter(LinkFilter& links) override { rules_.Filter(links); }
  void OnSeeds(Seeds& seeds) override { rules_.ScheduleSeeds(seeds, 1.0f); }
  void OnLinks(Links& links) override {
    for (const Link link : links) rules_.ScheduleNew(links, link, 0.5f);
  }
  void OnFailure(Failure& failure) override { rules_.Retry(failure); }
};

// Caps URLs and fetches every page again.
class Again final : public Strategy {
  CrawlRules rules_{this, 0, CrawlRules::Cap::kUrls};
  void Filter(LinkFilter& links) override { rules_.Filter(links); }
  void OnSeeds(Seeds& seeds) override { rules_.ScheduleSeeds(seeds, 1.0f); }
  void OnLinks(Links& links) override {
    for (const Link link : links) rules_.ScheduleNew(links, link, 0.5f);
  }
  void OnPage(Page& page) override { page.link().Schedule(0.1f); }
};

const orbweaver_strategy* RuledStrategy() {
  return internal::Exported<Ruled>::Describe("ruled", 1, "");
}
const orbweaver_strategy* AgainStrategy() {
  return internal::Exported<Again>::Describe("again", 1, "");
}

std::vector<std::string> Waiting(const TestDriver& crawl) {
  std::vector<std::string> urls;
  for (const TestRequest& request : crawl.queue()) urls.push_back(request.url);
  return urls;
}

TEST(CrawlRulesTest, OnlyAllowedDomainsAreScheduled) {
  TestDriver crawl(RuledStrategy(),
                   {{"allow_domains", "a.com, *.org"}, {"deny_domains", "bad.org"}});
  for (const char* url :
       {"https://a.com/", "https://b.com/", "https://c.org/", "https://bad.org/"}) {
    crawl.Seeds({url});
  }
  EXPECT_THAT(Waiting(crawl), ElementsAre("https://a.com/", "https://c.org/"));
}

TEST(CrawlRulesTest, OnlyAllowedUrlsAreScheduled) {
  TestDriver crawl(RuledStrategy(), {{"allow_urls", "*/blog/*"}, {"deny_urls", "*.pdf, *?page=*"}});
  crawl.Seeds({"https://a.com/blog/1", "https://a.com/shop/1", "https://a.com/blog/x.pdf",
               "https://a.com/blog/2?page=3"});
  EXPECT_THAT(Waiting(crawl), ElementsAre("https://a.com/blog/1"));
}

TEST(CrawlRulesTest, WhatIsDroppedCostsNoRead) {
  TestDriver crawl(RuledStrategy(), {{"deny_domains", "a.com"}});
  crawl.Seeds({"https://a.com/1", "https://a.com/2"});
  EXPECT_EQ(0u, crawl.states_read());
}

TEST(CrawlRulesTest, EmbeddedThingsAreNoPages) {
  TestDriver crawl(RuledStrategy());
  crawl.Seeds({"https://a.com/"});
  crawl.Next();
  crawl.Links("https://a.com/", {TestLink("https://a.com/x.png", LinkKind::kEmbed),
                                 TestLink("https://a.com/x", LinkKind::kFrame)});
  EXPECT_THAT(Waiting(crawl), ElementsAre("https://a.com/x"));
}

TEST(CrawlRulesTest, LinksBeyondTheDepthAreLeftAlone) {
  const TestWeb web = {{"https://a.com/", {"https://a.com/1"}},
                       {"https://a.com/1", {"https://a.com/2"}},
                       {"https://a.com/2", {}}};
  TestDriver seeds_only(RuledStrategy(), {{"max_depth", "0"}});
  seeds_only.Seeds({"https://a.com/"});
  EXPECT_THAT(seeds_only.Run(web), ElementsAre("https://a.com/"));
  TestDriver one(RuledStrategy(), {{"max_depth", "1"}});
  one.Seeds({"https://a.com/"});
  EXPECT_THAT(one.Run(web), ElementsAre("https://a.com/", "https://a.com/1"));
}

TEST(CrawlRulesTest, ADomainGetsNoMoreRequestsThanItsBudget) {
  TestDriver crawl(RuledStrategy(), {{"max_pages", "3"}});
  crawl.Seeds({"https://a.com/1", "https://a.com/2"});
  crawl.Seeds({"https://a.com/3", "https://a.com/4", "https://a.com/5"});
  crawl.Seeds({"https://b.com/1"});
  EXPECT_THAT(Waiting(crawl), ElementsAre("https://a.com/1", "https://a.com/2", "https://a.com/3",
                                          "https://b.com/1"));
}

TEST(CrawlRulesTest, TheBudgetHoldsAcrossARestart) {
  const TestDriver::Params params = {{"max_pages", "2"}};
  TestDriver crawl(RuledStrategy(), params);
  crawl.Seeds({"https://a.com/1"});
  crawl.Swap(RuledStrategy(), params);
  crawl.Seeds({"https://a.com/2", "https://a.com/3"});
  EXPECT_THAT(Waiting(crawl), ElementsAre("https://a.com/1", "https://a.com/2"));
}

TEST(CrawlRulesTest, RetriesCountAgainstTheBudget) {
  TestDriver crawl(RuledStrategy(), {{"max_pages", "2"}, {"retry_delay_s", "0"}});
  crawl.Seeds({"https://a.com/"});
  for (int tries = 0; tries < 2; ++tries) {
    ASSERT_TRUE(crawl.Next());
    crawl.Fail("https://a.com/");
  }
  EXPECT_EQ(2u, crawl.Domain("a.com").scheduled);
  EXPECT_THAT(Waiting(crawl), IsEmpty());
}

TEST(CrawlRulesTest, ASpentBudgetReadsNoStates) {
  TestDriver crawl(RuledStrategy(), {{"max_pages", "1"}});
  crawl.Seeds({"https://a.com/1"});
  const uint64_t before = crawl.states_read();
  crawl.Seeds({"https://a.com/2", "https://a.com/3"});
  EXPECT_EQ(before, crawl.states_read());
}

TEST(CrawlRulesTest, ACapOnUrlsLeavesFetchingAgainFree) {
  TestDriver crawl(AgainStrategy(), {{"max_pages", "2"}});
  crawl.Seeds({"https://a.com/1"});
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(crawl.Next());
    crawl.Page("https://a.com/1");
  }
  crawl.Seeds({"https://a.com/2", "https://a.com/3"});
  EXPECT_THAT(Waiting(crawl), UnorderedElementsAre("https://a.com/1", "https://a.com/2"));
}

TEST(CrawlRulesTest, TransientFailuresAreTriedAgainLaterAndLaterUntilGivenUp) {
  TestDriver crawl(RuledStrategy(),
                   {{"retries", "3"}, {"retry_delay_s", "10"}, {"retry_max_delay_s", "25"}});
  crawl.Seeds({"https://a.com/"});
  for (const int64_t delay_s : {10, 20, 25}) {
    ASSERT_TRUE(crawl.Next());
    crawl.Fail("https://a.com/");
    const TestRequest* const again = crawl.Waiting("https://a.com/");
    ASSERT_NE(nullptr, again);
    EXPECT_EQ(crawl.now_ms() + delay_s * 1000, again->not_before_ms);
    crawl.SetTime(again->not_before_ms);
  }
  ASSERT_TRUE(crawl.Next());
  crawl.Fail("https://a.com/");
  EXPECT_THAT(Waiting(crawl), IsEmpty());
  EXPECT_EQ(ORBWEAVER_ERROR, crawl.State("https://a.com/")->status);
}

TEST(CrawlRulesTest, ARetryCountsItsAttemptAndKeepsItsScore) {
  TestDriver crawl(RuledStrategy());
  TestLink seed("https://a.com/");
  seed.score = 0.25f;
  crawl.Seeds({seed});
  crawl.Next();
  crawl.Fail("https://a.com/");
  EXPECT_EQ(1u, crawl.queue().at(0).attempt);
  EXPECT_EQ(0.25f, crawl.queue().at(0).score);
}

TEST(CrawlRulesTest, PermanentFailuresAreNeverTriedAgain) {
  TestDriver crawl(RuledStrategy());
  crawl.Seeds({"https://a.com/"});
  crawl.Next();
  crawl.Fail("https://a.com/", {Cause::kHttp4xx, false, 404, -1});
  EXPECT_THAT(Waiting(crawl), IsEmpty());
  EXPECT_EQ(ORBWEAVER_GONE, crawl.State("https://a.com/")->status);
}

TEST(CrawlRulesTest, ARetryWaitsAsLongAsTheServerAskedWithinTheBound) {
  TestDriver crawl(RuledStrategy(), {{"retry_delay_s", "10"}, {"retry_max_delay_s", "1000"}});
  crawl.Seeds({"https://a.com/1", "https://a.com/2"});
  crawl.Next();
  crawl.Fail("https://a.com/1", {Cause::kHttp5xx, true, 503, 300'000});
  EXPECT_EQ(crawl.now_ms() + 300'000, crawl.Waiting("https://a.com/1")->not_before_ms);
  crawl.Next();
  crawl.Fail("https://a.com/2", {Cause::kHttp5xx, true, 503, int64_t{1} << 42});
  EXPECT_EQ(crawl.now_ms() + 1'000'000, crawl.Waiting("https://a.com/2")->not_before_ms);
}

TEST(CrawlRulesTest, ADelayOfManyAttemptsDoesNotOverflow) {
  TestDriver crawl(RuledStrategy(), {{"retries", "1000"}, {"retry_max_delay_s", "60"}});
  crawl.Seeds({"https://a.com/"});
  for (int i = 0; i < 200; ++i) {
    crawl.SetTime(crawl.now_ms() + 60'000);
    ASSERT_TRUE(crawl.Next()) << i;
    crawl.Fail("https://a.com/");
    EXPECT_EQ(crawl.now_ms() + 60'000, crawl.queue().at(0).not_before_ms);
  }
}

TEST(CrawlRulesTest, BandScoresFallWithinTheirBands) {
  for (uint32_t band = 0; band < 20; ++band) {
    const float score = CrawlRules::BandScore(band);
    EXPECT_EQ(std::min(band, 7u), static_cast<uint32_t>((1.0f - score) * 8));
  }
}

}  // namespace
}  // namespace orbweaver::sdk
