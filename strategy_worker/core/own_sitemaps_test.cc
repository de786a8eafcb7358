// Sitemaps, which the worker requests by itself, whatever the strategy.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "strategy_worker/core/own_requests.h"
#include "strategy_worker/core/strategy_core.h"
#include "tests/support/expect_ok.h"
#include "tests/support/own_requests_fixture.h"

namespace orbweaver {
namespace {

using Call = ScriptedStrategy::Call;
using ::testing::ElementsAre;
using ::testing::Pair;

class Sitemaps : public OwnRequestsTest {
 protected:
  void AppendRobots(const std::vector<std::string_view>& sitemaps,
                    const std::string& domain = "a.test") {
    world_.Append({.domain = domain, .event = HostFacts{.host = domain, .sitemaps = sitemaps}});
  }
};

TEST_F(Sitemaps, ThoseOfRobotsTxtAreAskedForOnceWhateverTheStrategy) {
  Begin({.kind = ScopeKind::kPath, .sitemaps = SitemapUse::kAlso});
  AppendSeeds("a.test", {"https://a.test/docs/"});
  for (int i = 0; i < 2; ++i) {
    AppendRobots({"https://a.test/map.xml", "https://a.test/map.xml", "https://b.a.test/map.xml",
                  "https://c.test/map.xml", "https://a.test/index.xml"});
  }
  AppendRobots({"https://d.test/map.xml"}, "d.test");
  Step();
  EXPECT_THAT(Own(), ElementsAre(Pair("https://a.test/map.xml", "1"),
                                 Pair("https://a.test/index.xml", "1")));
  const Meta index = Sitemap(1);
  AppendFound("a.test",
              {To("https://a.test/2.xml.gz", LinkKind::kSitemap),
               To("https://a.test/docs/1", LinkKind::kSitemapPage),
               To("https://a.test/2", LinkKind::kSitemapPage)},
              {&index, 1}, 0);
  Step();
  ASSERT_EQ(world_.ReadRequests().size(), 5u);
  EXPECT_EQ(world_.StateOf("a.test", "https://a.test/2.xml.gz")->depth, 0u);
  EXPECT_EQ(world_.StateOf("a.test", "https://a.test/docs/1")->depth, 1u);
  EXPECT_EQ(CountOf("beyond_seeds"), 1u);
  EXPECT_THAT(shown_, ElementsAre("https://a.test/docs/", "https://a.test/docs/1"));
  EXPECT_EQ(world_.RecordOf("a.test")->sitemaps, 3u);
  EXPECT_EQ(world_.RecordOf("a.test")->scheduled, 2u);
}

TEST_F(Sitemaps, AStrategyThatAsksForTheSameAddsNothing) {
  const std::string url = "https://a.test/map.xml";
  orbweaver_request request{};
  request.url = ToText(url);
  request.decision.action = ORBWEAVER_SCHEDULE;
  strategy_.on_event = [&request](Call call) {
    call.output->requests_kept = &request;
    call.output->request_count = 1;
    return absl::OkStatus();
  };
  Begin({.sitemaps = SitemapUse::kAlso});
  AppendRobots({url});
  Step();
  EXPECT_THAT(Own(), ElementsAre(Pair(url, "1")));
  EXPECT_EQ(Requested().size(), 1u);
  Begin({.sitemaps = SitemapUse::kNo});
  AppendRobots({url, "https://a.test/other"});
  request.even_if_known = 1;
  Step();
  EXPECT_EQ(Requested().size(), 1u);
  EXPECT_EQ(CountOf("sitemaps"), 1u);
}

TEST_F(Sitemaps, OnlyLeavesOutLinksOfPagesAndKeepsSeedsAndPagesThatMoved) {
  Begin({.kind = ScopeKind::kDomain, .sitemaps = SitemapUse::kOnly});
  AppendSeeds("a.test", {"https://a.test/"});
  const Meta sitemap = Sitemap(1);
  AppendFound("a.test", {To("https://a.test/1", LinkKind::kSitemapPage)}, {&sitemap, 1});
  AppendFound("a.test", {To("https://a.test/2"), To("https://a.test/3", LinkKind::kFeedItem),
                         To("https://a.test/4", LinkKind::kRedirect)});
  AppendFound("b.test", {To("https://b.test/")});
  Step();
  EXPECT_THAT(Requested(), ElementsAre("https://a.test/", "https://a.test/1", "https://a.test/4"));
  EXPECT_EQ(CountOf("sitemaps"), 2u);
  EXPECT_EQ(CountOf("beyond_seeds"), 1u);
}

TEST_F(Sitemaps, NoLeavesThemOut) {
  Begin({.kind = ScopeKind::kDomain, .sitemaps = SitemapUse::kNo});
  AppendSeeds("a.test", {"https://a.test/"});
  AppendFound("a.test", {To("https://a.test/map.xml", LinkKind::kSitemap), To("https://a.test/1")});
  AppendRobots({"https://a.test/map.xml"});
  Step();
  EXPECT_THAT(Requested(), ElementsAre("https://a.test/", "https://a.test/1"));
  EXPECT_EQ(CountOf("sitemaps"), 1u);
}

TEST_F(Sitemaps, OneThatMovedOpensNoOtherDomain) {
  Begin({.kind = ScopeKind::kDomain, .sitemaps = SitemapUse::kAlso});
  AppendSeeds("a.test", {"https://a.test/"});
  const Meta sitemap = Sitemap(1);
  AppendFound("b.test", {To("https://b.test/map.xml", LinkKind::kRedirect)}, {&sitemap, 1}, 0);
  AppendFound("a.test", {To("https://a.test/moved.xml", LinkKind::kRedirect)}, {&sitemap, 1}, 0);
  Step();
  EXPECT_THAT(Own(), ElementsAre(Pair("https://a.test/moved.xml", "2")));
  EXPECT_FALSE(world_.RecordOf("b.test").has_value());
}

TEST_F(Sitemaps, IndexesThatListSitemapsWithoutEndAreLeft) {
  Begin({.kind = ScopeKind::kDomain, .sitemaps = SitemapUse::kAlso});
  AppendSeeds("a.test", {"https://a.test/"});
  Step();
  std::vector<std::string> urls;
  for (uint64_t i = 0; i < kMaxSitemapsOfDomain + 7; ++i) {
    urls.push_back("https://a.test/" + std::to_string(i) + ".xml");
  }
  for (size_t i = 0; i < urls.size(); i += 500) {
    std::vector<Link> links;
    for (size_t j = i; j < std::min(i + 500, urls.size()); ++j) {
      links.push_back(To(urls[j], LinkKind::kSitemap));
    }
    AppendFound("a.test", links);
  }
  Step();
  EXPECT_EQ(world_.RecordOf("a.test")->sitemaps, kMaxSitemapsOfDomain);
  EXPECT_EQ(Own().size(), kMaxSitemapsOfDomain);
}

}  // namespace
}  // namespace orbweaver
