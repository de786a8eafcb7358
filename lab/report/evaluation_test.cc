#include "lab/report/evaluation.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/random.h"
#include "lab/report/small_crawl.h"

namespace orbweaver::lab {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

size_t At(Metric metric) { return static_cast<size_t>(metric); }

void ExpectBounds(const Measured& measured, Metric metric, double low, double estimate,
                  double high) {
  const Bounded& is = measured[At(metric)];
  EXPECT_NEAR(low, is.low, 1e-6) << MetricName(metric);
  EXPECT_NEAR(estimate, is.estimate, 1e-6) << MetricName(metric);
  EXPECT_NEAR(high, is.high, 1e-6) << MetricName(metric);
}

// Of 5, of b.org at depth 2: of all 5 URLs 0.8 are pages and 0.6 unique ones; of b.org's two a half
// each; the one of depth 2 failed. So a page in (5/6)(2 * 1/2 + 5 * 4/5)/7 = 25/42, a unique one in
// (5/6)(2 * 1/2 + 5 * 3/5)/7 = 20/42.
TEST(Evaluation, GivesTheFiguresCountedByHand) {
  const PageTable pages = SmallRecording();
  const std::vector<CrawlFetches> crawls = SmallCrawls(pages);
  const Report report = Evaluate(pages, crawls, {});
  ASSERT_EQ(2u, report.strategies.size());
  EXPECT_EQ(4u, report.compared_fetches);
  const StrategyReport& wide = report.strategies[0];
  EXPECT_EQ(1, wide.support());
  ExpectBounds(wide.final.measured, Metric::kUnique, 3, 3, 3);
  ExpectBounds(wide.final.measured, Metric::kInLinks, 5 / 7.0, 5 / 7.0, 5 / 7.0);
  ExpectBounds(wide.final.measured, Metric::kDomains, 2, 2, 2);
  ExpectBounds(wide.final.measured, Metric::kErrors, 0, 0, 0);

  const StrategyReport& narrow = report.strategies[1];
  EXPECT_EQ(0.75, narrow.support());
  ExpectBounds(narrow.final.measured, Metric::kUnique, 2, 2 + 20 / 42.0, 3);
  ExpectBounds(narrow.final.measured, Metric::kErrors, 1, 1 + 17 / 42.0, 2);
  ExpectBounds(narrow.final.measured, Metric::kInLinks, 3 / 7.0, 3 / 7.0 + 25 / 42.0 / 7, 4 / 7.0);
  const double rank = pages.RankOf(0) + pages.RankOf(3);
  ExpectBounds(narrow.final.measured, Metric::kPageRank, rank, rank + 25 / 42.0 * pages.RankOf(5),
               rank + pages.RankOf(5));

  const CrawlDifference& difference = report.differences.at(0);
  EXPECT_NEAR(-22 / 42.0, difference.absolute[At(Metric::kUnique)].estimate, 1e-6);
  EXPECT_NEAR(-1, difference.absolute[At(Metric::kUnique)].low, 1e-6);
  EXPECT_NEAR(0, difference.absolute[At(Metric::kUnique)].high, 1e-6);
}

TEST(Evaluation, DrawsCurvesOverFetchesAndTime) {
  const PageTable pages = SmallRecording();
  const std::vector<CrawlFetches> crawls = SmallCrawls(pages);
  const Report report = Evaluate(pages, crawls, {.points = 4});
  const auto unique = [](const std::vector<CurvePoint>& curve) {
    std::vector<double> values;
    for (const CurvePoint& point : curve) {
      values.push_back(point.measured[At(Metric::kUnique)].high);
    }
    return values;
  };
  EXPECT_EQ((std::vector<double>{0, 1, 2, 2, 3}), unique(report.strategies[0].by_fetches));
  EXPECT_EQ((std::vector<double>{0, 1, 2, 2, 3}), unique(report.strategies[1].by_fetches));
  EXPECT_EQ((std::vector<double>{0, 1, 2, 2, 3}), unique(report.strategies[0].by_time));
  EXPECT_EQ(std::chrono::seconds(4), report.strategies[0].by_time.back().at);
}

TEST(Evaluation, GivesNoVerdictWithoutSupport) {
  const PageTable pages = SmallRecording();
  const std::vector<CrawlFetches> crawls = SmallCrawls(pages);
  const Report report = Evaluate(pages, crawls, {});
  EXPECT_FALSE(report.differences[0].has_verdict);
  EXPECT_THAT(report.differences[0].verdict,
              StartsWith("No verdict on wide and narrow: only 75 % of the fetches of narrow"));
  const Report forced = Evaluate(pages, crawls, {.force = true});
  EXPECT_TRUE(forced.differences[0].has_verdict);
  EXPECT_THAT(forced.differences[0].verdict, HasSubstr("(forced: the support is only 75 %)"));
}

TEST(Evaluation, NamesWinnersAndLosersByDomain) {
  const PageTable pages = SmallRecording();
  const std::vector<CrawlFetches> crawls = SmallCrawls(pages);
  const DomainChanges changes = Evaluate(pages, crawls, {}).changes.at(0);
  ASSERT_EQ(1u, changes.winners.size());
  EXPECT_EQ("b.org", changes.winners[0].domain);
  EXPECT_EQ(1, changes.winners[0].base);
  EXPECT_NEAR(1 + 20 / 42.0, changes.winners[0].other, 1e-6);
  EXPECT_EQ(3u, changes.winners[0].other_fetches);
  ASSERT_EQ(1u, changes.losers.size());
  EXPECT_EQ("a.org", changes.losers[0].domain);
}

// 2 has nothing new while 1 waits; 4 fails while nothing of b.org does.
TEST(Evaluation, CountsInversionsWithinADomain) {
  const PageTable pages = SmallRecording();
  const std::vector<CrawlFetches> crawls = {SmallCrawl("badly", pages, {0, 2, 1, 3, 4}),
                                            SmallCrawl("well", pages, {0, 1, 3, 2, 4})};
  const Report report = Evaluate(pages, crawls, {});
  EXPECT_EQ(5u, report.strategies[0].inversions.fetches);
  EXPECT_EQ(1u, report.strategies[0].inversions.inverted);
  EXPECT_EQ(0u, report.strategies[1].inversions.inverted);
}

TEST(Evaluation, IsOfNothingWhenNothingWasFetched) {
  const PageTable pages = SmallRecording();
  const std::vector<CrawlFetches> crawls = {SmallCrawl("none", pages, {}),
                                            SmallCrawl("some", pages, {0})};
  const Report report = Evaluate(pages, crawls, {});
  EXPECT_EQ(0u, report.compared_fetches);
  EXPECT_EQ(1, report.strategies[0].support());
  EXPECT_EQ("none and some gather as many unique pages after 0 fetches",
            report.differences[0].verdict);
  EXPECT_TRUE(Evaluate(pages, {}, {}).strategies.empty());
}

// A web of which a crawl recorded the good half and explored a little of the rest; another crawl
// that fetches at random, and what it really finds.
struct Web {
  PageTable pages;
  std::vector<CrawlFetches> crawls;
  double truth = 0;  // unique pages of the second crawl
};

Web RandomWeb(uint64_t seed) {
  constexpr uint32_t kDomains = 40;
  constexpr uint32_t kUrls = 60;  // a domain
  constexpr double kExplored = 0.2;
  Random random(seed);
  struct Url {
    uint32_t domain = 0;
    bool is_page = false;
    double probability = 0;  // with which it was recorded; 0: it was not
  };
  std::vector<Url> urls;
  for (uint32_t domain = 0; domain < kDomains; ++domain) {
    const double quality = random.Unit();
    for (uint32_t i = 0; i < kUrls; ++i) {
      // The recorded strategy knew which are good, more or less.
      const bool is_page = random.Chance(quality);
      const bool looks_good = random.Chance(is_page ? 0.9 : 0.5);
      const bool is_explored = random.Chance(kExplored);
      urls.push_back({domain, is_page, looks_good ? 1 : is_explored ? kExplored : 0});
    }
  }
  std::ranges::partition(urls, [](const Url& url) { return url.probability > 0; });
  Web web;
  for (uint32_t domain = 0; domain < kDomains; ++domain) {
    web.pages.Domain(std::to_string(domain) + ".org");
  }
  uint32_t content = 0;
  for (const Url& url : urls) {
    if (url.probability == 0) break;
    const VisitFacts visit{.at_ms = 0, .content = url.is_page ? ++content : 0};
    web.pages.AddUrl(url.domain, 1, url.probability, {&visit, 1});
    web.pages.links().AddPage({});
  }
  web.pages.Finish(false);
  web.crawls = {{.name = "recorded", .urls = static_cast<uint32_t>(urls.size())},
                {.name = "another", .urls = static_cast<uint32_t>(urls.size())}};
  for (uint32_t url = 0; url < urls.size(); ++url) {
    const bool is_known = url < web.pages.known();
    const bool is_fetched = random.Chance(0.5);
    const auto at_ms = static_cast<int64_t>(web.crawls[1].fetches.size());
    const CrawlFetch fetch{.at_ms = at_ms,
                           .url = url,
                           .node = kNoUrl,
                           .domain = urls[url].domain,
                           .depth = 1,
                           .is_page = is_known && urls[url].is_page};
    if (is_known) web.crawls[0].fetches.push_back(fetch);
    if (!is_fetched) continue;
    web.crawls[1].fetches.push_back(fetch);
    web.truth += urls[url].is_page ? 1 : 0;
  }
  web.crawls[0].fetches.resize(web.crawls[1].fetches.size());
  return web;
}

struct Agreement {
  int within_bounds = 0;
  int within_interval = 0;
  double bias = 0;  // of the estimate, on average
};
Agreement AgreementOver(int seeds, PlantedBias bias) {
  Agreement agreement;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Web web = RandomWeb(static_cast<uint64_t>(seed));
    EvaluationOptions options{.force = true, .points = 10, .bias = bias};
    options.bootstrap.resamples = 200;
    const Report report = Evaluate(web.pages, web.crawls, options);
    const StrategyReport& other = report.strategies[1];
    const Bounded& bounds = other.final.measured[At(Metric::kUnique)];
    const Interval interval = other.intervals[At(Metric::kUnique)].value();
    agreement.within_bounds += web.truth >= bounds.low && web.truth <= bounds.high ? 1 : 0;
    agreement.within_interval += web.truth >= interval.low && web.truth <= interval.high ? 1 : 0;
    agreement.bias += (bounds.estimate - web.truth) / seeds;
  }
  return agreement;
}

TEST(Evaluation, ContainsTheTruthInItsBoundsAndInterval) {
  const Agreement agreement = AgreementOver(60, PlantedBias::kNone);
  EXPECT_EQ(60, agreement.within_bounds);
  EXPECT_GE(agreement.within_interval, 54);
  EXPECT_NEAR(0, agreement.bias, 15);  // of 600
}

TEST(Evaluation, WouldShowThatUnknownPagesWereTakenForFailures) {
  const Agreement agreement = AgreementOver(60, PlantedBias::kUnknownIsFailure);
  EXPECT_EQ(0, agreement.within_bounds);
  EXPECT_LT(agreement.bias, -30);
}

}  // namespace
}  // namespace orbweaver::lab
