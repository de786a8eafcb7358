// Which links, seeds and requests reach the strategy, by the crawl's scope.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "strategy_worker/core/strategy_core.h"
#include "tests/support/scoped_core_fixture.h"

namespace orbweaver {
namespace {

using Call = ScriptedStrategy::Call;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class ScopeTest : public ScopedCoreTest {
 protected:
  void AppendLinksTo(const std::string& domain, const std::vector<std::string>& urls,
                     LinkKind kind = LinkKind::kAnchor) {
    std::vector<Link> links;
    for (const std::string& url : urls) links.push_back({.url = url, .kind = kind});
    world_.Append(
        {.domain = domain,
         .event = LinksFound{.source = {.url = "https://x.test/", .depth = 3}, .links = links}});
  }
  // As a spider tells it: `from` was asked for by a request of this depth.
  void AppendRedirect(const std::string& from, const std::string& domain, const std::string& to,
                      uint32_t depth, std::span<const Meta> meta = {}) {
    const Link link{.url = to, .kind = LinkKind::kRedirect};
    world_.Append(
        {.domain = domain,
         .event = LinksFound{
             .source = {.url = from, .depth = depth, .score = 0.75, .link_count = 1, .meta = meta},
             .links = {&link, 1}}});
  }
};

TEST_F(ScopeTest, LinksToADomainWithoutSeedsAreDroppedBeforeTheStrategySeesThem) {
  int shown = 0;
  strategy_.filter = [&shown](const orbweaver_event&, std::span<const orbweaver_link> links,
                              std::span<uint8_t>) {
    shown += static_cast<int>(links.size());
    return absl::OkStatus();
  };
  Begin({.kind = ScopeKind::kDomain});
  AppendSeeds("a.test", {"https://a.test/"});
  Step();
  AppendLinksTo("a.test", {"https://a.test/1", "https://sub.a.test/2"});
  AppendLinksTo("b.test", {"https://b.test/1", "https://b.test/2"});
  Step();
  EXPECT_THAT(Requested(),
              UnorderedElementsAre("https://a.test/", "https://a.test/1", "https://sub.a.test/2"));
  EXPECT_EQ(shown, 3);
  EXPECT_EQ(CountOf("beyond_seeds"), 2u);
  EXPECT_FALSE(world_.RecordOf("b.test").has_value()) << "a row for each domain that is linked to";
}

TEST_F(ScopeTest, ASeedOpensItsDomainForLinksOfTheSameBatch) {
  Begin({.kind = ScopeKind::kHost});
  AppendLinksTo("a.test", {"https://a.test/too-soon"});
  AppendSeeds("a.test", {"https://a.test/"});
  AppendLinksTo("a.test", {"https://a.test/1", "https://b.a.test/2"});
  Step();
  EXPECT_THAT(Requested(), ElementsAre("https://a.test/", "https://a.test/1"));
}

TEST_F(ScopeTest, AnOrderAboutAUrlNeedsNoSeedNearItButPatternsHold) {
  Begin({.kind = ScopeKind::kPath, .exclude = {"*.png"}});
  strategy_.on_event = {};
  for (const char* const url : {"https://a.test/far", "https://a.test/1.png"}) {
    const Request request{.url = url, .domain = "a.test"};
    world_.Append({.domain = "a.test", .event = PageFetched{.request = request, .status = 200}});
    world_.Append({.domain = "a.test", .event = UrlOrder{.url = url, .fetch_again = true}});
  }
  Step();
  EXPECT_THAT(Requested(), ElementsAre("https://a.test/far"));
  EXPECT_EQ(CountOf("excluded"), 1u);
}

TEST_F(ScopeTest, HostsAndPathsAreThoseOfTheSeeds) {
  Begin({.kind = ScopeKind::kPath});
  AppendSeeds("a.test", {"https://a.test/docs", "http://b.a.test:81/x/i.html"});
  Step();
  AppendLinksTo("a.test", {"https://a.test/docs/1", "https://a.test/", "http://b.a.test:81/x/2",
                           "http://b.a.test/x/3"});
  Step();
  EXPECT_THAT(Requested(),
              UnorderedElementsAre("https://a.test/docs", "http://b.a.test:81/x/i.html",
                                   "https://a.test/docs/1", "http://b.a.test:81/x/2"));
  EXPECT_EQ(world_.RecordOf("a.test")->seed_places, "/docs/\nb.:81/x/");
}

TEST_F(ScopeTest, AUrlThatIsRequeuedOpensNothing) {
  Begin({.kind = ScopeKind::kPath});
  AppendSeeds("a.test", {"https://a.test/docs/"});
  Step();
  const Seed requeued{.url = "https://a.test/failed/here/"};
  world_.Append({.domain = "a.test", .event = Seeds{.seeds = {&requeued, 1}, .only_failed = true}});
  AppendLinksTo("a.test", {"https://a.test/failed/here/1"});
  Step();
  AppendLinksTo("a.test", {"https://a.test/failed/here/2"});
  Step();
  EXPECT_THAT(Requested(), ElementsAre("https://a.test/docs/"));
  EXPECT_EQ(world_.RecordOf("a.test")->seed_places, "/docs/");
}

TEST_F(ScopeTest, AnotherOwnerAndAnotherKindGoByTheSamePlaces) {
  Begin({});
  AppendSeeds("a.test", {"https://a.test/docs/"});
  Step();
  Begin({.kind = ScopeKind::kPath});
  AppendLinksTo("a.test", {"https://a.test/docs/1", "https://a.test/2"});
  AppendLinksTo("b.test", {"https://b.test/"});
  Step();
  Begin({.kind = ScopeKind::kHost});
  AppendLinksTo("a.test", {"https://a.test/3", "https://b.a.test/4"});
  Step();
  EXPECT_THAT(Requested(),
              ElementsAre("https://a.test/docs/", "https://a.test/docs/1", "https://a.test/3"));
}

TEST_F(ScopeTest, SeedsThatAreKnownStillOpenTheirPlaces) {
  strategy_.on_event = [](Call call) {
    for (size_t i = 0; i < call.links.size(); ++i) {
      if (call.states[i].known == 0) call.decisions[i].action = ORBWEAVER_SCHEDULE;
    }
    return absl::OkStatus();
  };
  Begin({});
  AppendLinksTo("a.test", {"https://a.test/x/"});
  Step();
  Begin({.kind = ScopeKind::kPath});
  AppendSeeds("a.test", {"https://a.test/x/"});
  Step();
  EXPECT_EQ(world_.RecordOf("a.test")->seed_places, "/x/");
}

TEST_F(ScopeTest, PatternsHoldForSeedsTooAndWhatTheyDropOpensNothing) {
  Begin({.kind = ScopeKind::kDomain,
         .include = {"a.test", "b.test"},
         .exclude = {"*.png", "b.test"}});
  AppendSeeds("a.test", {"https://a.test/", "https://a.test/x.png"});
  AppendSeeds("b.test", {"https://b.test/"});
  AppendSeeds("c.test", {"https://c.test/"});
  Step();
  AppendLinksTo("a.test", {"https://a.test/1", "https://a.test/2.png?v=1"});
  AppendLinksTo("b.test", {"https://b.test/1"});
  Step();
  EXPECT_THAT(Requested(), ElementsAre("https://a.test/", "https://a.test/1"));
  EXPECT_EQ(CountOf("excluded"), 3u);
  EXPECT_EQ(CountOf("not_included"), 1u);
  EXPECT_EQ(CountOf("beyond_seeds"), 1u);
}

TEST_F(ScopeTest, WhatASeedRedirectsToIsASeed) {
  Begin({.kind = ScopeKind::kDomain});
  AppendSeeds("a.test", {"https://a.test/"});
  AppendRedirect("https://a.test/", "b.test", "https://www.b.test/", 0);
  AppendRedirect("https://a.test/1", "c.test", "https://c.test/", 1);
  Step();
  AppendLinksTo("b.test", {"https://b.test/1"});
  AppendLinksTo("c.test", {"https://c.test/1"});
  Step();
  EXPECT_THAT(Requested(),
              ElementsAre("https://a.test/", "https://www.b.test/", "https://b.test/1"));
  EXPECT_EQ(world_.StateOf("b.test", "https://www.b.test/")->depth, 0u);
  EXPECT_EQ(world_.RecordOf("b.test")->seed_places, "/");
}

TEST_F(ScopeTest, ARedirectOfASeedThatIsExcludedIsDropped) {
  Begin({.kind = ScopeKind::kDomain, .exclude = {"b.test"}});
  AppendRedirect("https://a.test/", "b.test", "https://b.test/", 0);
  Step();
  EXPECT_THAT(Requested(), IsEmpty());
}

TEST_F(ScopeTest, RedirectsOfSeedsEndBesideMetaOfTheirOwn) {
  Begin({.kind = ScopeKind::kDomain});
  std::string count;  // as a request's meta comes back
  for (int i = 0; i < 9; ++i) {
    const std::string domain = "b" + std::to_string(i) + ".test";
    std::vector<Meta> meta = {{.key = "k", .value = "v"}};
    if (!count.empty()) meta.push_back({.key = "orbweaver.redirects", .value = count});
    AppendRedirect("https://a.test/", domain, "https://" + domain + "/", 0, meta);
    Step();
    const std::vector<ReadRequest> requests = world_.ReadRequests();
    const size_t most = 5;
    ASSERT_EQ(requests.size(), std::min<size_t>(i + 1, most));
    EXPECT_EQ(requests.back().meta.at("k"), "v");
    count = requests.back().meta.at("orbweaver.redirects");
  }
  EXPECT_EQ(count, "5");
}

TEST_F(ScopeTest, WithoutABoundARedirectOfASeedIsALinkLikeOthers) {
  Begin({});
  AppendRedirect("https://a.test/", "b.test", "https://b.test/", 0);
  Step();
  EXPECT_EQ(world_.StateOf("b.test", "https://b.test/")->depth, 1u);
}

TEST_F(ScopeTest, WhatTheStrategyAsksForItselfIsInScopeToo) {
  std::vector<std::string> urls = {"https://a.test/", "https://a.test/docs/x",
                                   "https://a.test/map.xml", "https://b.a.test/map.xml"};
  std::vector<orbweaver_request> requests(urls.size());
  strategy_.on_event = [&](Call call) {
    for (size_t i = 0; i < urls.size(); ++i) {
      requests[i].url = ToText(urls[i]);
      requests[i].decision.action = ORBWEAVER_SCHEDULE;
    }
    call.output->requests_kept = requests.data();
    call.output->request_count = requests.size();
    return absl::OkStatus();
  };
  Begin({.kind = ScopeKind::kPath});
  AppendSeeds("a.test", {"https://a.test/docs/"});
  Step();
  EXPECT_THAT(Requested(), ElementsAre("https://a.test/docs/x"));
  const std::vector<std::string_view> sitemaps(urls.begin(), urls.end());
  world_.Append({.domain = kDomain,
                 .event = HostFacts{.host = "a.test", .sitemaps = std::span(sitemaps).subspan(2)}});
  Step();
  EXPECT_THAT(Requested(), ElementsAre("https://a.test/docs/x", "https://a.test/map.xml"));
}

TEST_F(ScopeTest, OfTooManyPlacesTheLastOnesOpenNothingAndThatIsCounted) {
  Begin({.kind = ScopeKind::kPath});
  std::vector<std::string> seeds;
  for (int i = 0; i < 900; ++i) seeds.push_back("https://a.test/" + std::to_string(1000 + i) + "/");
  AppendSeeds("a.test", seeds);
  Step();
  EXPECT_EQ(Requested().size(), seeds.size());
  AppendLinksTo("a.test", {"https://a.test/1000/x", "https://a.test/1899/x"});
  Step();
  EXPECT_EQ(Requested().back(), "https://a.test/1000/x");
  uint64_t without = 0;
  world_.metrics.Visit([&](MetricKind, const std::string& name, double value) {
    if (name == "orbweaver_strategy_seeds_without_place_total") without = value;
  });
  EXPECT_GT(without, 0u);
  // One that lies above all of them makes room.
  AppendSeeds("a.test", {"https://a.test/"});
  AppendLinksTo("a.test", {"https://a.test/1899/x"});
  Step();
  EXPECT_EQ(Requested().back(), "https://a.test/1899/x");
}

}  // namespace
}  // namespace orbweaver
