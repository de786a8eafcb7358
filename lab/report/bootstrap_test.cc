#include "lab/report/bootstrap.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace orbweaver::lab {
namespace {

constexpr auto kUnique = static_cast<size_t>(Metric::kUnique);

// A crawl that gathers so much of each domain.
MeasuredCrawl Gathering(const std::vector<double>& by_domain) {
  MeasuredCrawl crawl;
  for (auto& parts : crawl.parts) parts.resize(by_domain.size());
  for (size_t domain = 0; domain < by_domain.size(); ++domain) {
    crawl.parts[kUnique][domain].known = by_domain[domain];
    crawl.fetches_of.push_back(1);
  }
  return crawl;
}

std::vector<double> Coins(size_t domains, uint64_t seed) {
  Random random(seed);
  std::vector<double> coins;
  for (size_t i = 0; i < domains; ++i) coins.push_back(random.Chance(0.3) ? 1 : 0);
  return coins;
}

// 1.96 standard deviations of a binomial distribution to both sides.
void ExpectBinomial(size_t domains) {
  const std::vector<double> coins = Coins(domains, 3);
  double sum = 0;
  for (const double coin : coins) sum += coin;
  const std::vector<MeasuredCrawl> crawls = {Gathering(coins)};
  const BootstrapResult result = Bootstrap(PageTable(), crawls);
  const Interval interval = result.intervals[0][kUnique].value();
  const double p = sum / static_cast<double>(domains);
  const double width = 2 * 1.96 * std::sqrt(static_cast<double>(domains) * p * (1 - p));
  EXPECT_NEAR(width, interval.high - interval.low, 0.1 * width);
  EXPECT_NEAR(sum, (interval.high + interval.low) / 2, 0.1 * width);
}

TEST(Bootstrap, IsAsWideAsTheDomainsVary) { ExpectBinomial(1000); }
TEST(Bootstrap, IsAsWideWithDomainsInGroups) { ExpectBinomial(20'000); }

// Both crawls meet the same domains, so that one which gathers two more of each surely does.
TEST(Bootstrap, ComparesCrawlsOnTheSameDomains) {
  std::vector<double> coins = Coins(300, 3);
  std::vector<MeasuredCrawl> crawls = {Gathering(coins)};
  for (double& coin : coins) coin += 2;
  crawls.push_back(Gathering(coins));
  const BootstrapResult result = Bootstrap(PageTable(), crawls);
  const Interval difference = result.differences[0][kUnique].value();
  EXPECT_EQ(600, difference.low);
  EXPECT_EQ(600, difference.high);
  EXPECT_GT(result.ratios[0][kUnique]->low, 4);
}

TEST(Bootstrap, RepeatsItself) {
  const std::vector<MeasuredCrawl> crawls = {Gathering(Coins(300, 3)), Gathering(Coins(300, 4))};
  const BootstrapResult one = Bootstrap(PageTable(), crawls);
  const BootstrapResult another = Bootstrap(PageTable(), crawls);
  EXPECT_EQ(one.differences[0][kUnique]->low, another.differences[0][kUnique]->low);
  EXPECT_EQ(one.intervals[1][kUnique]->high, another.intervals[1][kUnique]->high);
}

TEST(Bootstrap, GivesNoIntervalOfFewDomains) {
  const std::vector<MeasuredCrawl> crawls = {Gathering(Coins(9, 3)), Gathering(Coins(9, 4))};
  const BootstrapResult result = Bootstrap(PageTable(), crawls);
  EXPECT_EQ(0u, result.domains);
  EXPECT_FALSE(result.intervals[0][kUnique].has_value());
  EXPECT_EQ(1u, result.differences.size());
  EXPECT_TRUE(Bootstrap(PageTable(), {}).intervals.empty());
}

// Half of the second crawl is estimated by the mean over all, of which the domains differ.
TEST(Bootstrap, MakesTheMeanOverAllAnewFromEachSample) {
  PageTable pages;
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const uint32_t domain = pages.Domain(std::to_string(i));
    const VisitFacts visit{.content = random.Chance(0.5) ? static_cast<uint32_t>(i + 1) : 0};
    pages.AddUrl(domain, 0, 1, {&visit, 1});
    pages.links().AddPage({});
  }
  pages.Finish(false);
  std::vector<MeasuredCrawl> crawls = {Gathering(std::vector<double>(200, 0))};
  for (DomainPart& part : crawls[0].parts[kUnique]) part.from_all = 1;
  const Interval interval = Bootstrap(pages, crawls).intervals[0][kUnique].value();
  const double mean = pages.estimate().MeanOfAll()[1];
  const double width = 2 * 1.96 * std::sqrt(200 * mean * (1 - mean));
  EXPECT_NEAR(width, interval.high - interval.low, 0.15 * width);
}

}  // namespace
}  // namespace orbweaver::lab
