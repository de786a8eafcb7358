// Assets and sitemaps: what the worker schedules by itself, whatever the strategy.
#include "strategy_worker/core/own_requests.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "strategy_worker/core/strategy_core.h"
#include "tests/support/expect_ok.h"
#include "tests/support/strategy_core_fixture.h"

namespace orbweaver {
namespace {

using Call = ScriptedStrategy::Call;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class OwnRequests : public StrategyCoreTest {
 protected:
  OwnRequests() {
    // Sees everything, and schedules what was never scheduled.
    strategy_.filter = [this](const orbweaver_event&, std::span<const orbweaver_link> links,
                              std::span<uint8_t>) {
      for (const orbweaver_link& link : links) filtered_.emplace_back(ToView(link.url_view));
      return absl::OkStatus();
    };
    strategy_.on_event = [this](Call call) {
      ++calls_;
      known_urls_ = call.event.domain_view->known_urls;
      fetched_ = call.event.domain_view->fetched;
      for (size_t i = 0; i < call.links.size(); ++i) {
        shown_.emplace_back(ToView(call.links[i].url_view));
        const orbweaver_state& state = call.states[i];
        if (state.known != 0 && state.status != ORBWEAVER_NOT_CRAWLED) continue;
        call.decisions[i].action = ORBWEAVER_SCHEDULE;
        call.decisions[i].score = 0.25;
      }
      return absl::OkStatus();
    };
  }

  void Begin(ScopeOptions options) {
    StrategyWorld::Worker worker;
    worker.options = options_;
    worker.scope = CrawlScope::Make(options, *world_.suffixes).value();
    core_ = world_.NewCore(strategy_, std::move(worker));
  }
  void Step() { ASSERT_OK(world_.RunUntilIdle(*core_)); }
  void AppendSeeds(const std::string& domain, const std::vector<std::string>& urls) {
    std::vector<Seed> seeds;
    for (const std::string& url : urls) seeds.push_back({.url = url});
    world_.Append({.domain = domain, .event = Seeds{.seeds = seeds}});
  }
  // Links of a page that was asked for with this meta.
  void AppendFound(const std::string& domain, const std::vector<Link>& links,
                   std::span<const Meta> meta = {}, uint32_t depth = 3) {
    world_.Append(
        {.domain = domain,
         .event = LinksFound{.source = {.url = "https://a.test/page", .depth = depth, .meta = meta},
                             .links = links}});
  }
  void AppendPage(const std::string& domain, const std::string& url, const Meta& meta,
                  std::string_view type) {
    const Request request{
        .url = url, .domain = domain, .depth = 4, .score = kOwnScore, .meta = {&meta, 1}};
    world_.Append({.domain = domain,
                   .event = PageFetched{.request = request, .status = 200, .content_type = type}});
  }
  void AppendFailure(const std::string& domain, const std::string& url, const Meta& meta,
                     uint32_t attempt, FailureCause cause) {
    const Request request{.url = url,
                          .domain = domain,
                          .depth = 4,
                          .score = kOwnScore,
                          .attempt = attempt,
                          .meta = {&meta, 1}};
    world_.Append({.domain = domain, .event = FetchFailed{.request = request, .cause = cause}});
  }
  // URL and how it is asked for: the value of the meta that tells.
  std::vector<std::pair<std::string, std::string>> Own() {
    std::vector<std::pair<std::string, std::string>> own;
    for (const ReadRequest& request : world_.ReadRequests()) {
      for (const auto& [key, value] : request.meta) own.emplace_back(request.url, value);
    }
    return own;
  }
  std::vector<std::string> Requested() {
    std::vector<std::string> urls;
    for (const ReadRequest& request : world_.ReadRequests()) urls.push_back(request.url);
    return urls;
  }
  uint64_t CountOf(const std::string& fate) {
    uint64_t count = 0;
    world_.metrics.Visit([&](MetricKind, const std::string& name, double value) {
      if (name == "orbweaver_strategy_links_total{fate=\"" + fate + "\"}") count = value;
    });
    return count;
  }
  static Meta Asset(uint32_t steps, bool is_in_scope) {
    return MetaOf({.kind = OwnRequest::Kind::kAsset, .steps = steps, .is_in_scope = is_in_scope});
  }
  static Meta Sitemap(uint32_t steps) {
    return MetaOf({.kind = OwnRequest::Kind::kSitemap, .steps = steps});
  }
  static Link To(std::string_view url, LinkKind kind = LinkKind::kAnchor) {
    return {.url = url, .kind = kind};
  }
  static Link Embedded(std::string_view url) { return To(url, LinkKind::kEmbed); }

  int calls_ = 0;
  std::vector<std::string> filtered_;
  std::vector<std::string> shown_;
  uint64_t known_urls_ = 0;
  uint64_t fetched_ = 0;
};

TEST_F(OwnRequests, WhatAPageEmbedsIsFetchedWhereverItLiesAndNoStrategyIsAsked) {
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

TEST_F(OwnRequests, AssetsCountInNoCapOfAStrategy) {
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

TEST_F(OwnRequests, EachIsFetchedOnceHoweverOftenItIsEmbeddedAndWhoeverReadsTheLog) {
  Begin({.kind = ScopeKind::kDomain, .assets = true});
  AppendFound("b.test", {Embedded("https://b.test/1.png")});
  AppendFound("b.test", {Embedded("https://b.test/1.png"), Embedded("https://b.test/2.png")});
  Step();
  Begin({.kind = ScopeKind::kDomain, .assets = true});
  AppendFound("b.test", {Embedded("https://b.test/2.png")});
  Step();
  EXPECT_THAT(Requested(), ElementsAre("https://b.test/1.png", "https://b.test/2.png"));
}

TEST_F(OwnRequests, OnlyWhatTheyEmbedIsFetchedOfAssetsOutOfScope) {
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

TEST_F(OwnRequests, AChainOfStyleSheetsEnds) {
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

TEST_F(OwnRequests, ADocumentInScopeIsAPageAlsoWhereOneEmbedsIt) {
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

TEST_F(OwnRequests, ExcludeHoldsForAssetsAndIncludeIsAboutPages) {
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

TEST_F(OwnRequests, WithoutTheOptionEmbedsAreTheStrategys) {
  Begin({.kind = ScopeKind::kDomain});
  AppendSeeds("a.test", {"https://a.test/"});
  AppendFound("a.test", {Embedded("https://a.test/1.png")});
  AppendFound("b.test", {Embedded("https://b.test/2.png")});
  Step();
  EXPECT_THAT(shown_, ElementsAre("https://a.test/", "https://a.test/1.png"));
  EXPECT_THAT(Own(), IsEmpty());
}

TEST_F(OwnRequests, AFailureThatMayPassIsTriedAgainTwiceAsLateEachTime) {
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

TEST_F(OwnRequests, AFailedOneThatIsAskedForAgainStaysWhatItWas) {
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

class Sitemaps : public OwnRequests {
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
