#include <orbweaver/test_driver.h>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/builtin_strategy.h"

namespace orbweaver {
namespace {

using sdk::Cause;
using sdk::Dns;
using sdk::LinkKind;
using sdk::Robots;
using sdk::TestDriver;
using sdk::TestHost;
using sdk::TestLink;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

std::vector<std::string> Waiting(const TestDriver& crawl) {
  std::vector<std::string> urls;
  for (const sdk::TestRequest& request : crawl.queue()) urls.push_back(request.url);
  return urls;
}

float ScoreOf(const TestDriver& crawl, const std::string& url) {
  const sdk::TestRequest* const request = crawl.Waiting(url);
  return request ? request->score : -1;
}

std::vector<TestLink> Links(const std::string& prefix, int count,
                            LinkKind kind = LinkKind::kAnchor) {
  std::vector<TestLink> links;
  for (int i = 0; i < count; ++i) links.emplace_back(prefix + std::to_string(i), kind);
  return links;
}

class DiscoveryTest : public ::testing::Test {
 protected:
  // As a spider that has just fetched the home page of a.com, whose robots.txt is `host`.
  void EnterA(const TestHost& host = {}) {
    crawl.Seeds({"https://a.com/"});
    ASSERT_EQ("https://a.com/", crawl.Next()->url);
    crawl.Host("a.com", host);
    crawl.Page("https://a.com/");
  }

  TestDriver crawl{BuiltinStrategy("discovery")};
};

TEST_F(DiscoveryTest, ASeedIsFetchedAndItsHomePageToo) {
  crawl.Seeds({"https://www.a.com/deep/page"});
  EXPECT_THAT(Waiting(crawl),
              UnorderedElementsAre("https://www.a.com/deep/page", "https://www.a.com/"));
  EXPECT_EQ(0.8f, ScoreOf(crawl, "https://www.a.com/"));
}

TEST_F(DiscoveryTest, AHomePageThatIsASeedIsScheduledOnce) {
  crawl.Seeds({"https://a.com/", "https://a.com/x"});
  crawl.Seeds({"https://a.com/y"});
  EXPECT_THAT(Waiting(crawl),
              UnorderedElementsAre("https://a.com/", "https://a.com/x", "https://a.com/y"));
}

TEST_F(DiscoveryTest, ALinkToANewDomainLeadsToItsHomePageOnly) {
  EnterA();
  crawl.Links("https://a.com/", {"https://b.com/deep/1", "https://b.com/deep/2"});
  EXPECT_THAT(Waiting(crawl), ElementsAre("https://b.com/"));
  EXPECT_EQ(0.8f, ScoreOf(crawl, "https://b.com/"));
  EXPECT_EQ(1u, crawl.queue()[0].depth);
}

TEST_F(DiscoveryTest, FurtherLinksFromElsewhereCostNoRead) {
  EnterA();
  crawl.Links("https://a.com/", {"https://b.com/1"});
  const uint64_t before = crawl.states_read();
  crawl.Links("https://a.com/", {"https://b.com/2", "https://b.com/3"});
  EXPECT_EQ(before, crawl.states_read());
}

TEST(DiscoveryParametersTest, WithoutNewDomainsOnlySeedsAreEntered) {
  TestDriver crawl(BuiltinStrategy("discovery"), {{"new_domains", "false"}});
  crawl.Seeds({"https://a.com/"});
  crawl.Next();
  crawl.Links("https://a.com/", {"https://b.com/", "https://a.com/x"});
  EXPECT_THAT(Waiting(crawl), ElementsAre("https://a.com/x"));
}

TEST_F(DiscoveryTest, SitemapsOfRobotsTxtComeBeforeEverythingElse) {
  EnterA({.sitemaps = {"https://a.com/sitemap.xml"}});
  crawl.Links("https://a.com/", {"https://a.com/about", "https://a.com/x"});
  EXPECT_EQ("https://a.com/sitemap.xml", crawl.Next()->url);
  EXPECT_EQ("https://a.com/about", crawl.Next()->url);
  EXPECT_EQ("https://a.com/x", crawl.Next()->url);
}

TEST_F(DiscoveryTest, PagesOfASitemapAreScheduled) {
  EnterA({.sitemaps = {"https://a.com/sitemap.xml"}});
  ASSERT_EQ("https://a.com/sitemap.xml", crawl.Next()->url);
  crawl.Page("https://a.com/sitemap.xml");
  crawl.Links("https://a.com/sitemap.xml",
              {TestLink("https://a.com/p", LinkKind::kSitemapPage),
               TestLink("https://a.com/contact", LinkKind::kSitemapPage)});
  EXPECT_EQ(0.5f, ScoreOf(crawl, "https://a.com/p"));
  EXPECT_EQ(0.7f, ScoreOf(crawl, "https://a.com/contact"));
}

TEST_F(DiscoveryTest, SitemapsOfOtherDomainsAreLeftAlone) {
  EnterA({.sitemaps = {"https://cdn.net/a.xml", "not a url", "https://x.a.com/s.xml"}});
  EXPECT_THAT(Waiting(crawl), ElementsAre("https://x.a.com/s.xml"));
}

TEST_F(DiscoveryTest, OfManySitemapsASampleIsFetched) {
  TestHost host;
  for (int i = 0; i < 200; ++i) host.sitemaps.push_back("https://a.com/s" + std::to_string(i));
  EnterA(host);
  EXPECT_EQ(5u, crawl.queue().size());
  EXPECT_NE(host.sitemaps[0], crawl.queue()[0].url) << "the first ones are no sample";
}

TEST_F(DiscoveryTest, SubSitemapsAreSampledWithinTheSameLimit) {
  EnterA({.sitemaps = {"https://a.com/index.xml"}});
  ASSERT_TRUE(crawl.Next());
  crawl.Page("https://a.com/index.xml");
  crawl.Links("https://a.com/index.xml", Links("https://a.com/sub", 50, LinkKind::kSitemap));
  EXPECT_EQ(4u, crawl.queue().size());
  crawl.Links("https://a.com/index.xml", Links("https://a.com/more", 50, LinkKind::kSitemap));
  EXPECT_EQ(4u, crawl.queue().size());
}

TEST_F(DiscoveryTest, TheSampleDependsOnTheSeed) {
  const auto sample = [](uint64_t seed) {
    TestDriver crawl(BuiltinStrategy("discovery"), {}, seed);
    TestHost host;
    for (int i = 0; i < 200; ++i) host.sitemaps.push_back("https://a.com/s" + std::to_string(i));
    crawl.Seeds({"https://a.com/"});
    crawl.Host("a.com", host);
    return Waiting(crawl);
  };
  EXPECT_EQ(sample(1), sample(1));
  EXPECT_NE(sample(1), sample(2));
}

TEST_F(DiscoveryTest, ADomainGetsAHundredRequestsAndNoMore) {
  EnterA({.sitemaps = {"https://a.com/sitemap.xml"}});
  crawl.Links("https://a.com/", Links("https://a.com/p", 300));
  crawl.Links("https://a.com/", Links("https://a.com/q", 300));
  EXPECT_EQ(100u, crawl.Domain("a.com").scheduled);
}

TEST_F(DiscoveryTest, TheHundredHoldAcrossRestarts) {
  EnterA();
  for (int restart = 0; restart < 10; ++restart) {
    crawl.Links("https://a.com/", Links("https://a.com/" + std::to_string(restart) + "/", 30));
    crawl.Swap(BuiltinStrategy("discovery"));
  }
  EXPECT_EQ(100u, crawl.Domain("a.com").scheduled);
}

TEST_F(DiscoveryTest, LinksOfInterestGoFirstWhenTheBudgetIsShort) {
  TestDriver small(BuiltinStrategy("discovery"), {{"max_pages", "3"}});
  small.Seeds({"https://a.com/"});
  small.Next();
  small.Links("https://a.com/", {"https://a.com/1", "https://a.com/2", "https://a.com/about",
                                 "https://a.com/contact"});
  EXPECT_THAT(Waiting(small), UnorderedElementsAre("https://a.com/about", "https://a.com/contact"));
}

TEST_F(DiscoveryTest, TheRestOfAShortBudgetGoesToOtherLinks) {
  TestDriver small(BuiltinStrategy("discovery"), {{"max_pages", "3"}});
  small.Seeds({"https://a.com/"});
  small.Next();
  small.Links("https://a.com/", {"https://a.com/1", "https://a.com/2", "https://a.com/about"});
  EXPECT_THAT(Waiting(small), UnorderedElementsAre("https://a.com/about", "https://a.com/1"));
}

TEST_F(DiscoveryTest, WithoutRobotsTxtTheHomePageIsStillTried) {
  crawl.Seeds({"https://a.com/"});
  ASSERT_TRUE(crawl.Next());
  crawl.Host("a.com", {.robots = Robots::kDisallowAll});
  crawl.Fail("https://a.com/", {Cause::kRobotsUnreachable, true, 0, -1});
  ASSERT_NE(nullptr, crawl.Waiting("https://a.com/"));
  EXPECT_GT(crawl.Waiting("https://a.com/")->not_before_ms, crawl.now_ms());
}

TEST_F(DiscoveryTest, AHostOfADomainThatWasNeverEnteredLeadsToItsHomePage) {
  crawl.Host("b.com", {.robots = Robots::kDisallowAll});
  EXPECT_THAT(Waiting(crawl), ElementsAre("https://b.com/"));
}

TEST_F(DiscoveryTest, ADomainWhoseNameDoesNotExistIsGivenUp) {
  crawl.Seeds({"https://a.com/", "https://a.com/x"});
  ASSERT_TRUE(crawl.Next());
  crawl.Host("a.com", {.robots = Robots::kUnspecified, .dns = Dns::kNoSuchName});
  EXPECT_TRUE(crawl.Domain("a.com").given_up);
  EXPECT_THAT(Waiting(crawl), ElementsAre());
  // A request in flight fails and is not tried again; links from elsewhere do not bring its URL
  // back.
  crawl.Fail("https://a.com/", {Cause::kDnsTemporary, true, 0, -1});
  crawl.Links("https://b.com/", {"https://a.com/y"});
  EXPECT_THAT(Waiting(crawl), ElementsAre());
}

TEST_F(DiscoveryTest, ADnsFailureOfThePageGivesTheDomainUpToo) {
  crawl.Seeds({"https://a.com/", "https://a.com/x"});
  ASSERT_TRUE(crawl.Next());
  crawl.Fail("https://a.com/", {Cause::kDns, false, 0, -1});
  EXPECT_TRUE(crawl.Domain("a.com").given_up);
  EXPECT_THAT(Waiting(crawl), ElementsAre());
}

TEST_F(DiscoveryTest, ATemporaryDnsFailureIsTriedAgainFirst) {
  crawl.Seeds({"https://a.com/"});
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(crawl.Next());
    crawl.Fail("https://a.com/", {Cause::kDnsTemporary, true, 0, -1});
    ASSERT_FALSE(crawl.Domain("a.com").given_up);
    crawl.SetTime(crawl.queue().at(0).not_before_ms);
  }
  ASSERT_TRUE(crawl.Next());
  crawl.Fail("https://a.com/", {Cause::kDnsTemporary, true, 0, -1});
  EXPECT_TRUE(crawl.Domain("a.com").given_up);
}

TEST_F(DiscoveryTest, ADeadHostOfALivingDomainDoesNotGiveItUp) {
  EnterA();
  crawl.Links("https://a.com/", {"https://dead.a.com/"});
  ASSERT_TRUE(crawl.Next());
  crawl.Fail("https://dead.a.com/", {Cause::kDns, false, 0, -1});
  crawl.Host("dead.a.com", {.dns = Dns::kNoSuchName});
  EXPECT_FALSE(crawl.Domain("a.com").given_up);
}

TEST_F(DiscoveryTest, APageThatComesAllTheSameBringsAGivenUpDomainBack) {
  crawl.Seeds({"https://dead.a.com/"});
  crawl.Seeds({"https://www.a.com/"});
  ASSERT_TRUE(crawl.Next());
  const sdk::TestRequest in_flight = *crawl.Next();
  crawl.Fail("https://dead.a.com/", {Cause::kDns, false, 0, -1});
  ASSERT_TRUE(crawl.Domain("a.com").given_up);
  crawl.Page(in_flight.url);
  crawl.Links(in_flight.url, {"https://www.a.com/x"});
  EXPECT_THAT(Waiting(crawl), ElementsAre("https://www.a.com/x"));
}

TEST_F(DiscoveryTest, ANewSeedGivesAGivenUpDomainAnotherChance) {
  crawl.Seeds({"https://a.com/"});
  ASSERT_TRUE(crawl.Next());
  crawl.Fail("https://a.com/", {Cause::kDns, false, 0, -1});
  crawl.Seeds({"https://a.com/again"});
  ASSERT_EQ("https://a.com/again", crawl.Next()->url);
  crawl.Page("https://a.com/again");
  crawl.Links("https://a.com/again", {"https://a.com/x"});
  EXPECT_THAT(Waiting(crawl), ElementsAre("https://a.com/x"));
}

}  // namespace
}  // namespace orbweaver
