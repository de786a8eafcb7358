#include "lab/crawl/virtual_crawl.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "lab/crawl/recorded_source.h"
#include "strategy_worker/host/loader.h"
#include "tests/support/recorded_logs.h"

namespace orbweaver::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A web of `kSites` sites with `kPages` pages each; page i of a site links to 2 i + 1 and 2 i + 2,
// the first page also to that of the next site.
class VirtualCrawlTest : public RecordedLogs {
 protected:
  static constexpr int kSites = 4;
  static constexpr int kPages = 20;

  VirtualCrawlTest() { options_.flow.robots.product_token = "orbweaver"; }

  static std::string Domain(int site) { return "site" + std::to_string(site) + ".example"; }
  static std::string Url(int site, int page) {
    return "https://" + Domain(site) + "/" + (page == 0 ? "" : std::to_string(page));
  }

  void SendSeed() {
    const std::string url = Url(0, 0);
    const Seed seed{.url = url};
    SendEntry(0, {.domain = Domain(0), .event = Seeds{.seeds = {&seed, 1}}, .time = clock_.Wall()});
  }
  void SendRobots(int site, RobotsOutcome robots, uint32_t status,
                  std::optional<milliseconds> crawl_delay = std::nullopt) {
    SendEntry(0, {.domain = Domain(site),
                  .event = HostFacts{.host = Domain(site),
                                     .robots = robots,
                                     .robots_status = status,
                                     .crawl_delay = crawl_delay},
                  .time = clock_.Wall()});
  }
  void SendFailure(int site, int page, FailureCause cause, uint32_t status,
                   std::string_view message = "") {
    const std::string url = Url(site, page);
    SendEntry(0, {.domain = Domain(site),
                  .event = FetchFailed{.request = {.url = url, .domain = Domain(site)},
                                       .cause = cause,
                                       .status = status,
                                       .message = message,
                                       .total = milliseconds(30)},
                  .time = clock_.Wall()});
  }
  void SendPage(int site, int page, std::string_view etag = "",
                std::span<const Redirect> redirects = {}) {
    const std::string url = Url(site, page);
    const std::string domain = Domain(site);
    SendEntry(0, {.domain = domain,
                  .event = PageFetched{.request = {.url = url, .domain = domain},
                                       .final_url = redirects.empty() ? "" : redirects.back().url,
                                       .redirects = redirects,
                                       .status = 200,
                                       .total = milliseconds(50),
                                       .content_type = "text/html",
                                       .etag = etag},
                  .time = clock_.Wall()});
    std::vector<std::string> targets;
    for (const int target : {2 * page + 1, 2 * page + 2}) {
      if (target < kPages) targets.push_back(Url(site, target));
    }
    if (!targets.empty()) SendLinks(url, domain, targets);
    if (page == 0) SendLinks(url, Domain((site + 1) % kSites), {Url((site + 1) % kSites, 0)});
  }
  void SendLinks(const std::string& url, const std::string& domain,
                 const std::vector<std::string>& targets) {
    std::vector<Link> links;
    for (const std::string& target : targets) links.push_back({.url = target});
    SendEntry(1, {.domain = domain,
                  .event = LinksFound{.source = {.url = url, .link_count = 3}, .links = links},
                  .time = clock_.Wall()});
  }
  void SendWeb() {
    SendSeed();
    for (int site = 0; site < kSites; ++site) {
      for (int page = 0; page < kPages; ++page) SendPage(site, page);
    }
  }

  const RecordedWeb& Web() {
    if (web_ != nullptr) return *web_;
    EXPECT_OK(RecordAll());
    const auto recording = Recording::Open(folder());
    EXPECT_OK(recording.status());
    auto web = RecordedWeb::Read(**recording, scratch_.path(), [](uint64_t) { return true; });
    EXPECT_OK(web.status());
    web_ = *std::move(web);
    return *web_;
  }

  struct Options {
    std::string strategy = "breadth_first";
    std::map<std::string, std::string> params;
    int spiders = 1;
    uint64_t budget = 0;
    Duration time{};
    RequestFlowOptions flow;
    uint64_t stop_after = 0;  // fetches; 0: never
  };

  CrawlTrace Crawl(const Options& options) {
    const auto strategy =
        LoadStrategy({.name = options.strategy, .params = options.params}, /*seed=*/1);
    EXPECT_OK(strategy.status());
    RequestFlowOptions flow = options.flow;
    flow.robots.product_token = "orbweaver";
    flow.scope = *CrawlScope::Make({}, *suffixes_);
    RecordedSource source(Web());
    const auto crawl = VirtualCrawl::Create({.source = source,
                                             .strategy = **strategy,
                                             .suffixes = *suffixes_,
                                             .partitions = 4,
                                             .spiders = options.spiders,
                                             .budget = options.budget,
                                             .time = options.time,
                                             .flow = flow});
    EXPECT_OK(crawl.status());
    auto trace = (*crawl)->Run([](const CrawlTrace&) { return true; });
    EXPECT_OK(trace.status());
    return *std::move(trace);
  }
  CrawlTrace Crawl() { return Crawl(options_); }

  std::multiset<std::string> Fetched(const CrawlTrace& trace) {
    std::multiset<std::string> urls;
    for (const TracedFetch& fetch : trace.fetches) urls.emplace(UrlOf(Web(), trace, fetch));
    return urls;
  }

  Options options_;
  std::unique_ptr<RecordedWeb> web_;
};

TEST_F(VirtualCrawlTest, FetchesEachPageThatLinksLeadTo) {
  SendWeb();
  const CrawlTrace trace = Crawl();
  std::multiset<std::string> all;
  for (int site = 0; site < kSites; ++site) {
    for (int page = 0; page < kPages; ++page) all.insert(Url(site, page));
  }
  EXPECT_EQ(Fetched(trace), all);
  EXPECT_EQ(trace.end, CrawlEnd::kNothingLeft);
  EXPECT_EQ(trace.robots_fetches, kSites);
  EXPECT_TRUE(trace.unknown.empty());
  for (const TracedFetch& fetch : trace.fetches) {
    EXPECT_EQ(fetch.outcome, FetchOutcome::kPage);
    EXPECT_EQ(fetch.took_ms, 50);
  }
}

TEST_F(VirtualCrawlTest, AsksADomainNoFasterThanItsDelay) {
  SendRobots(1, RobotsOutcome::kRules, 200, seconds(7));
  SendWeb();
  options_.spiders = 2;
  const CrawlTrace trace = Crawl();
  std::map<std::string_view, Duration> last;  // the end of the last request
  for (const TracedFetch& fetch : trace.fetches) {
    const std::string_view domain = DomainOf(Web(), trace, fetch);
    const Duration delay = domain == Domain(1) ? seconds(7) : seconds(1);
    if (last.contains(domain)) EXPECT_GE(fetch.at - last[domain], delay) << domain;
    last[domain] = fetch.at + milliseconds(fetch.took_ms);
  }
  EXPECT_EQ(trace.fetches.size(), kSites * kPages);
  EXPECT_GT(trace.idle, trace.took / 2);
}

TEST_F(VirtualCrawlTest, ThatRobotsTxtForbidsIsNotFetched) {
  SendFailure(2, 3, FailureCause::kRobots, 0, "line 2: /3");
  SendWeb();
  SendRobots(3, RobotsOutcome::kDisallowAll, 503);
  const CrawlTrace trace = Crawl();
  // Page 3 was fetched in the same recording, so a rule of its own allows it.
  EXPECT_TRUE(Fetched(trace).contains(Url(2, 3)));
  for (const TracedFetch& fetch : trace.fetches) {
    EXPECT_NE(DomainOf(Web(), trace, fetch), Domain(3));
  }
}

TEST_F(VirtualCrawlTest, ARuleThatForbadeSomethingForbidsAllThatBeginsSo) {
  SendSeed();
  SendPage(0, 0);
  SendPage(0, 2);
  SendFailure(0, 1, FailureCause::kRobots, 0, "line 2: /1");
  SendPage(1, 0);
  SendFailure(0, 5, FailureCause::kHttp4xx, 404);
  const CrawlTrace trace = Crawl();
  const auto fetched = Fetched(trace);
  EXPECT_FALSE(fetched.contains(Url(0, 1)));
  EXPECT_TRUE(fetched.contains(Url(0, 2)));
  EXPECT_EQ(trace.forbidden, 1);
}

TEST_F(VirtualCrawlTest, AnUnknownUrlIsFetchedAndKnownAsSuch) {
  SendSeed();
  SendPage(0, 0);
  SendPage(0, 1);
  const CrawlTrace trace = Crawl();
  // Of page 0: pages 1 and 2, and another site's; of page 1: 3 and 4.
  EXPECT_EQ(Fetched(trace), (std::multiset<std::string>{Url(0, 0), Url(0, 1), Url(0, 2), Url(0, 3),
                                                        Url(0, 4), Url(1, 0)}));
  ASSERT_EQ(trace.unknown.size(), 4);
  for (const TracedFetch& fetch : trace.fetches) {
    EXPECT_EQ(fetch.outcome == FetchOutcome::kUnknown, fetch.url >= Web().urls());
    EXPECT_EQ(fetch.took_ms, 50);  // as other pages
  }
}

TEST_F(VirtualCrawlTest, AnUnknownUrlAnswersAsAnotherOfItsDomain) {
  SendSeed();
  SendPage(0, 0);  // also to 1 and 2, and to the first page of site 1
  SendPage(1, 5);  // to 11 and 12
  SendFailure(2, 0, FailureCause::kHttp4xx, 404);
  auto fetched = Fetched(Crawl());
  EXPECT_TRUE(fetched.contains(Url(1, 0)));
  EXPECT_TRUE(fetched.contains(Url(1, 11)));
  EXPECT_FALSE(fetched.contains(Url(1, 5)));
}

TEST_F(VirtualCrawlTest, AVisitThatFailedIsMetOnce) {
  SendSeed();
  SendPage(0, 0);
  SendFailure(0, 1, FailureCause::kHttp5xx, 500);
  clock_.Advance(std::chrono::hours(10));
  SendPage(0, 1);
  SendFailure(0, 2, FailureCause::kHttp4xx, 404);
  options_.params = {{"retries", "3"}, {"retry_delay_s", "60"}};
  const CrawlTrace trace = Crawl();
  std::vector<FetchOutcome> outcomes;
  for (const TracedFetch& fetch : trace.fetches) {
    if (UrlOf(Web(), trace, fetch) == Url(0, 1)) outcomes.push_back(fetch.outcome);
  }
  EXPECT_EQ(outcomes, (std::vector{FetchOutcome::kFailed, FetchOutcome::kPage}));
  EXPECT_LT(trace.took, std::chrono::hours(2));
}

TEST_F(VirtualCrawlTest, ContentIsThatOfItsTime) {
  SendSeed();
  SendPage(0, 0, "\"one\"");
  clock_.Advance(std::chrono::hours(10));
  SendPage(0, 0, "\"two\"");
  SendPage(0, 1);
  SendPage(0, 2);
  SendPage(1, 0);
  options_.strategy = "recrawl";
  options_.params = {
      {"first_interval_s", "7200"}, {"min_interval_s", "7200"}, {"max_interval_s", "7200"}};
  options_.time = std::chrono::hours(15);
  const CrawlTrace trace = Crawl();
  std::vector<uint32_t> visits;
  std::vector<FetchOutcome> outcomes;
  for (const TracedFetch& fetch : trace.fetches) {
    if (UrlOf(Web(), trace, fetch) != Url(0, 0)) continue;
    if (fetch.outcome == FetchOutcome::kPage) visits.push_back(fetch.visit);
    outcomes.push_back(fetch.outcome);
  }
  EXPECT_EQ(visits, (std::vector<uint32_t>{0, 1}));
  EXPECT_GT(std::ranges::count(outcomes, FetchOutcome::kNotModified), 2);
}

TEST_F(VirtualCrawlTest, EachRedirectIsARequestOfItsOwn) {
  SendSeed();
  const std::string by_way_of = Url(0, 0) + "way";
  const std::string to = Url(0, 0) + "there";
  const Redirect redirects[] = {{.url = by_way_of, .status = 301}, {.url = to, .status = 302}};
  SendPage(0, 0, "", redirects);
  for (int page = 1; page < kPages; ++page) SendPage(0, page);
  SendPage(1, 0);
  const CrawlTrace trace = Crawl();
  ASSERT_EQ(UrlOf(Web(), trace, trace.fetches[0]), Url(0, 0));
  // robots.txt, two redirects and the page, a second between each two.
  const auto next = std::ranges::find_if(trace.fetches, [&](const TracedFetch& fetch) {
    return UrlOf(Web(), trace, fetch) == Url(0, 1);
  });
  ASSERT_NE(next, trace.fetches.end());
  EXPECT_GE(next->at - trace.fetches[0].at, seconds(3));
  EXPECT_EQ(Fetched(trace).count(Url(0, 0)), 1);
}

TEST_F(VirtualCrawlTest, EndsWithItsBudgetOrItsTime) {
  SendWeb();
  options_.budget = 10;
  EXPECT_EQ(Crawl().fetches.size(), 10);
  EXPECT_EQ(Crawl().end, CrawlEnd::kBudget);
  options_.budget = 0;
  options_.time = seconds(9);
  const CrawlTrace trace = Crawl();
  EXPECT_EQ(trace.end, CrawlEnd::kTime);
  EXPECT_LT(trace.fetches.back().at, seconds(9));
  EXPECT_LT(trace.took, seconds(10));
}

TEST_F(VirtualCrawlTest, AllSpidersTogetherKeepTheRate) {
  SendWeb();
  options_.spiders = 4;
  options_.flow.politeness.rate = 0.25;
  options_.flow.politeness.delay = {};
  options_.time = seconds(20);
  const CrawlTrace trace = Crawl();
  EXPECT_LE(trace.fetches.size(), 21);
}

TEST_F(VirtualCrawlTest, ALogWithoutItsBeginningIsRefused) {
  SendPage(0, 0);
  RecordedSource source(Web());
  const auto strategy = LoadStrategy({.name = options_.strategy}, /*seed=*/1);
  const auto crawl = VirtualCrawl::Create(
      {.source = source, .strategy = **strategy, .suffixes = *suffixes_, .flow = options_.flow});
  EXPECT_TRUE(IsFatal(crawl.status()));
  EXPECT_NE(crawl.status().message().find("seeds"), std::string::npos);
}

TEST_F(VirtualCrawlTest, TheSameSetupGivesTheSameTrace) {
  SendWeb();
  for (const char* const strategy : {"breadth_first", "random", "opic"}) {
    options_.strategy = strategy;
    options_.spiders = 3;
    const CrawlTrace a = Crawl();
    const CrawlTrace b = Crawl();
    ASSERT_EQ(a.fetches.size(), b.fetches.size());
    for (size_t i = 0; i < a.fetches.size(); ++i) {
      EXPECT_EQ(a.fetches[i].at, b.fetches[i].at);
      EXPECT_EQ(a.fetches[i].url, b.fetches[i].url);
      EXPECT_EQ(a.fetches[i].score, b.fetches[i].score);
    }
    EXPECT_EQ(a.took, b.took);
  }
}

}  // namespace
}  // namespace orbweaver::lab
