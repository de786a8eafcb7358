#include "lab/report/recorded_pages.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/model/exploration.h"
#include "lab/crawl/recorded_source.h"
#include "lab/crawl/virtual_crawl.h"
#include "lab/report/evaluation.h"
#include "lab/report/oracle.h"
#include "strategy_worker/host/loader.h"
#include "tests/support/recorded_logs.h"

namespace orbweaver::lab {
namespace {

constexpr char kDomain[] = "example.org";

std::string Url(std::string_view path) {
  return std::string("https://").append(kDomain).append("/").append(path);
}

class RecordedPagesTest : public RecordedLogs {
 protected:
  struct Page {
    std::string path;
    std::string title;
    uint32_t depth = 1;
    uint64_t content = 0;
    std::string_view explore;  // the probability, as it stands in the meta; empty: none
    bool not_modified = false;
  };
  void SendPage(const Page& page) {
    const std::string url = Url(page.path);
    const Meta drawn[] = {{.key = kExploreKey, .value = page.explore},
                          {.key = kOwnScoreKey, .value = "0.5"}};
    const std::span<const Meta> metas(drawn, page.explore.empty() ? 0 : kExploreEntries);
    SendEntry(
        0, {.domain = kDomain,
            .event =
                PageFetched{
                    .request = {.url = url, .domain = kDomain, .depth = page.depth, .meta = metas},
                    .status = page.not_modified ? 304u : 200u,
                    .total = std::chrono::milliseconds(50),
                    .content_hash = {1, page.content},
                    .content_type = "text/html",
                    .title = page.title,
                    .text_bytes = 5000,
                    .not_modified = page.not_modified},
            .time = clock_.Wall()});
  }
  void SendLinks(std::string_view from, std::vector<Link> links) {
    const std::string url = Url(from);
    SendEntry(0, {.domain = kDomain,
                  .event = LinksFound{.source = {.url = url, .link_count = 3}, .links = links},
                  .time = clock_.Wall()});
  }
  void SendSeed() {
    const std::string url = Url("");
    const Seed seed{.url = url};
    SendEntry(0, {.domain = kDomain, .event = Seeds{.seeds = {&seed, 1}}, .time = clock_.Wall()});
  }

  const RecordedWeb& Web() {
    if (web_ != nullptr) return *web_;
    EXPECT_OK(RecordAll());
    const auto recording = Recording::Open(folder());
    EXPECT_OK(recording);
    auto web = RecordedWeb::Read(**recording, scratch_.path(), [](uint64_t) { return true; });
    EXPECT_OK(web);
    web_ = *std::move(web);
    return *web_;
  }
  std::unique_ptr<RecordedPages> Pages(std::string_view expression) {
    if (!expression.empty()) value_ = *PageValue::FromExpression(expression);
    auto pages = RecordedPages::Read(Web(), value_, [](uint64_t) { return true; });
    EXPECT_OK(pages);
    return *std::move(pages);
  }
  CrawlTrace Crawl(Strategy& strategy, uint64_t budget) {
    RecordedSource source(Web());
    RequestFlowOptions flow;
    flow.robots.product_token = "orbweaver";
    flow.scope = *CrawlScope::Make({}, *suffixes_);
    const auto crawl = VirtualCrawl::Create({.source = source,
                                             .strategy = strategy,
                                             .suffixes = *suffixes_,
                                             .budget = budget,
                                             .flow = flow});
    EXPECT_OK(crawl);
    auto trace = (*crawl)->Run([](const CrawlTrace&) { return true; });
    EXPECT_OK(trace);
    trace->strategy = strategy.name();
    return *std::move(trace);
  }

  PageValue value_;
  std::unique_ptr<RecordedWeb> web_;
};

TEST_F(RecordedPagesTest, ReadsValuesContentsAndLinks) {
  const std::string a = Url("a");
  const std::string b = Url("b");
  const std::string unknown = Url("unknown");
  SendSeed();
  SendPage({.path = "", .title = "Home", .depth = 0, .content = 1});
  SendLinks("", {{.url = a},
                 {.url = b, .rel = kRelNofollow},
                 {.url = b, .kind = LinkKind::kEmbed},
                 {.url = unknown}});
  SendPage({.path = "a", .title = "Good", .content = 2, .explore = "0.25"});
  SendPage({.path = "b", .title = "Good", .content = 2});
  SendPage({.path = "a", .title = "Good", .content = 9, .not_modified = true});
  SendPage({.path = "a", .title = "Changed", .content = 3});
  const auto pages = Pages("(title = \"Good\") * text_bytes / 1000");
  const PageTable& table = pages->table();
  ASSERT_EQ(3u, table.known());
  const uint32_t of_a = Web().Find(a).value();
  const uint32_t of_b = Web().Find(b).value();
  const uint32_t of_home = Web().Find(Url("")).value();
  EXPECT_EQ(5, table.WorthOf(of_a));
  EXPECT_EQ(0, table.WorthOf(of_home));
  EXPECT_EQ(5, table.largest_value());
  ASSERT_EQ(3u, table.VisitsOf(of_a).size());
  EXPECT_EQ(table.VisitsOf(of_a)[0].content, table.VisitsOf(of_a)[1].content);
  EXPECT_EQ(table.VisitsOf(of_a)[0].content, table.VisitsOf(of_b)[0].content);
  EXPECT_NE(table.VisitsOf(of_a)[2].content, table.VisitsOf(of_a)[0].content);
  EXPECT_EQ(5, table.VisitsOf(of_a)[1].value);
  EXPECT_TRUE(table.HasChanges());
  EXPECT_EQ(1u, table.explored());
  EXPECT_EQ(2u, table.links().LinksOf(of_home).size());
  EXPECT_EQ(0.5, table.InLinkShareOf(of_a));
  EXPECT_EQ(0, table.InLinkShareOf(of_b));
}

TEST_F(RecordedPagesTest, KnowsTheLinksToUnknownUrlsOfACrawl) {
  const std::string unknown = Url("unknown");
  SendSeed();
  SendPage({.path = "", .depth = 0, .content = 1});
  SendLinks("", {{.url = unknown}});
  const auto pages = Pages("");
  CrawlTrace trace{.strategy = "s", .unknown = {{unknown, kDomain}, {Url("never"), "new.org"}}};
  trace.fetches = {
      {.at = std::chrono::seconds(2), .url = 2, .took_ms = 30},
      {.at = std::chrono::seconds(1), .url = 0, .took_ms = 5000, .outcome = FetchOutcome::kPage},
      {.at = std::chrono::seconds(3), .url = 1, .took_ms = 30}};
  const CrawlFetches crawl = pages->FetchesOf(trace);
  ASSERT_EQ(3u, crawl.fetches.size());
  EXPECT_EQ(kNoUrl, crawl.fetches[0].node);
  EXPECT_EQ("new.org", pages->table().domains()[crawl.fetches[0].domain]);
  EXPECT_EQ(1, pages->table().InLinkShareOf(crawl.fetches[1].node));
  // By their ends: the first request took longest.
  EXPECT_EQ(6000, crawl.fetches[2].at_ms);
  EXPECT_TRUE(crawl.fetches[2].is_page);
}

TEST_F(RecordedPagesTest, StopsWhenItIsTold) {
  SendPage({.path = "", .depth = 0, .content = 1});
  EXPECT_TRUE(absl::IsCancelled(
      RecordedPages::Read(Web(), value_, [](uint64_t) { return false; }).status()));
}

// 30 pages without value stand before 10 with it, and before one that leads to 20 more.
TEST_F(RecordedPagesTest, TheOracleTakesWhatIsWorthMostFirst) {
  std::vector<std::string> paths;
  for (int i = 0; i < 30; ++i) paths.push_back("bad" + std::to_string(i));
  for (int i = 0; i < 10; ++i) paths.push_back("good" + std::to_string(i));
  paths.emplace_back("hub");
  uint64_t content = 0;
  SendSeed();
  SendPage({.path = "", .title = "Home", .depth = 0, .content = ++content});
  const auto links_of = [](const std::vector<std::string>& urls) {
    std::vector<Link> links;
    for (const std::string& url : urls) links.push_back({.url = url});
    return links;
  };
  std::vector<std::string> urls;
  for (const std::string& path : paths) urls.push_back(Url(path));
  SendLinks("", links_of(urls));
  for (const std::string& path : paths)
    SendPage({.path = path, .title = path, .content = ++content});
  std::vector<std::string> behind;
  for (int i = 0; i < 20; ++i) behind.push_back("good-behind" + std::to_string(i));
  urls.clear();
  for (const std::string& path : behind) urls.push_back(Url(path));
  SendLinks("hub", links_of(urls));
  for (const std::string& path : behind)
    SendPage({.path = path, .title = path, .content = ++content});
  const auto pages = Pages("title like 'good%'");

  const OraclePromises promises(pages->table());
  EXPECT_EQ(0.5f, promises.Of(Web().Find(Url("hub")).value()));
  EXPECT_EQ(0, promises.Of(Web().Find(Url("bad7")).value()));
  Oracle oracle(Web(), promises);
  const auto breadth_first = LoadStrategy({.name = "breadth_first"}, /*seed=*/1);
  ASSERT_OK(breadth_first);
  const CrawlTrace wise = Crawl(oracle, 32);
  const CrawlTrace blind = Crawl(**breadth_first, 32);
  const std::vector<CrawlFetches> crawls = {pages->FetchesOf(blind), pages->FetchesOf(wise)};
  const Report report = Evaluate(pages->table(), crawls, {.value = "title like 'good%'"});
  const auto value = [&](size_t i) {
    return report.strategies[i].final.measured[static_cast<size_t>(Metric::kValue)].estimate;
  };
  EXPECT_EQ(1, report.strategies[0].support());
  // The requests that stood in the feed before the hub's links were found came first.
  EXPECT_GT(value(1), 1.5 * value(0));
  for (size_t i = 1; i <= 10; ++i) EXPECT_EQ(1, pages->table().WorthOf(wise.fetches[i].url));
  EXPECT_EQ(Url("hub"), UrlOf(Web(), wise, wise.fetches[11]));
  EXPECT_EQ("oracle", report.strategies[1].name);
}

}  // namespace
}  // namespace orbweaver::lab
