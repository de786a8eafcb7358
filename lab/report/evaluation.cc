#include "lab/report/evaluation.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "lab/report/crawl_measurement.h"
#include "lab/report/freshness.h"
#include "lab/report/inversions.h"
#include "lab/report/merged_draws.h"
#include "lab/report/verdict.h"

namespace orbweaver::lab {
namespace {

MeasurementGrid GridOf(std::span<const CrawlFetches> crawls, size_t points) {
  MeasurementGrid grid{.points = points};
  if (!crawls.empty()) grid.compared_fetches = std::numeric_limits<uint64_t>::max();
  for (const CrawlFetches& crawl : crawls) {
    grid.most_fetches = std::max<uint64_t>(grid.most_fetches, crawl.fetches.size());
    grid.compared_fetches = std::min<uint64_t>(grid.compared_fetches, crawl.fetches.size());
    const auto took = std::chrono::ceil<std::chrono::milliseconds>(crawl.took).count();
    grid.longest_ms = std::max<int64_t>(
        {grid.longest_ms, took, crawl.fetches.empty() ? 0 : crawl.fetches.back().at_ms});
  }
  return grid;
}

std::vector<Metric> MetricsOf(const PageTable& pages, const EvaluationOptions& options) {
  std::vector<Metric> metrics;
  for (const Metric metric : kAllMetrics) {
    const bool is_freshness = metric == Metric::kFresh || metric == Metric::kAge;
    if (is_freshness && !pages.HasChanges()) continue;
    if (metric == Metric::kValue && options.value.empty()) continue;
    metrics.push_back(metric);
  }
  // The one that the report judges by comes first.
  if (!options.value.empty()) std::swap(metrics[0], metrics[1]);
  return metrics;
}

size_t DomainsOf(const PageTable& pages, std::span<const CrawlFetches> crawls) {
  size_t domains = pages.domains().size();
  for (const CrawlFetches& crawl : crawls) {
    for (const CrawlFetch& fetch : crawl.fetches) {
      domains = std::max<size_t>(domains, size_t{fetch.domain} + 1);
    }
  }
  return domains;
}

CrawlDifference Compare(const Report& report, size_t base, size_t other) {
  CrawlDifference difference{.base = base, .other = other};
  for (size_t m = 0; m < kMetrics; ++m) {
    const Bounded& of_base = report.strategies[base].final.measured[m];
    const Bounded& of_other = report.strategies[other].final.measured[m];
    difference.absolute[m] = {.low = of_other.low - of_base.high,
                              .estimate = of_other.estimate - of_base.estimate,
                              .high = of_other.high - of_base.low};
    if (of_base.estimate > 0) {
      difference.ratio[m] = difference.absolute[m].estimate / of_base.estimate;
    }
  }
  return difference;
}

DomainChanges ChangesOf(const PageTable& pages, const MeasuredCrawl& base,
                        const MeasuredCrawl& other, Metric aim, size_t shown) {
  const Outcome means = pages.estimate().MeanOfAll();
  const double mean = means[static_cast<size_t>(PartOf(aim, pages))];
  const auto m = static_cast<size_t>(aim);
  const auto sum = [&](const DomainPart& part) {
    return part.known + part.own + part.from_all * mean;
  };
  DomainChanges changes;
  std::vector<std::pair<double, uint32_t>> gains;
  for (uint32_t domain = 0; domain < base.fetches_of.size(); ++domain) {
    if (base.fetches_of[domain] + other.fetches_of[domain] == 0) continue;
    const double gain = sum(other.parts[m][domain]) - sum(base.parts[m][domain]);
    // Sums of estimates in another order differ in their last digits.
    if (gain > 1e-9) {
      ++changes.won;
    } else if (gain < -1e-9) {
      ++changes.lost;
    } else {
      ++changes.equal;
      continue;
    }
    gains.emplace_back(gain, domain);
  }
  std::ranges::sort(gains, [&](const auto& one, const auto& another) {
    if (one.first != another.first) return one.first > another.first;
    return pages.domains()[one.second] < pages.domains()[another.second];
  });
  const auto change_of = [&](uint32_t domain) {
    return DomainChange{.domain = pages.domains()[domain],
                        .base = sum(base.parts[m][domain]),
                        .other = sum(other.parts[m][domain]),
                        .base_fetches = base.fetches_of[domain],
                        .other_fetches = other.fetches_of[domain]};
  };
  for (size_t i = 0; i < std::min<size_t>(shown, changes.won); ++i) {
    changes.winners.push_back(change_of(gains[i].second));
  }
  for (size_t i = 0; i < std::min<size_t>(shown, changes.lost); ++i) {
    changes.losers.push_back(change_of(gains[gains.size() - 1 - i].second));
  }
  return changes;
}

// On average, as the known ones are counted.
uint64_t FetchesOf(std::span<const CrawlFetches> draws) {
  uint64_t sum = 0;
  for (const CrawlFetches& draw : draws) sum += draw.fetches.size();
  return (sum + draws.size() / 2) / draws.size();
}

using Intervals = std::array<std::optional<Interval>, kMetrics>;
Intervals Widened(Intervals intervals, const std::array<double, kMetrics>& spread) {
  for (size_t m = 0; m < kMetrics; ++m) {
    if (intervals[m] && spread[m] > 0) intervals[m] = Widen(*intervals[m], spread[m]);
  }
  return intervals;
}

}  // namespace

Report Evaluate(const PageTable& pages, std::span<const CrawlFetches> crawls,
                const EvaluationOptions& options) {
  Report report;
  report.value = options.value;
  report.aim = options.value.empty() ? Metric::kUnique : Metric::kValue;
  report.metrics = MetricsOf(pages, options);
  report.needed_support = options.needed_support;
  report.forced = options.force;
  const MeasurementGrid grid = GridOf(crawls, options.points);
  report.compared_fetches = grid.compared_fetches;
  const PageChanges changes(pages);
  const size_t domains = DomainsOf(pages, crawls);
  std::vector<MeasuredCrawl> measured;
  CHECK(options.draws > 0 && crawls.size() % options.draws == 0);
  for (size_t i = 0; i < crawls.size(); i += options.draws) {
    std::vector<MeasuredCrawl> draws;
    for (const CrawlFetches& crawl : crawls.subspan(i, options.draws)) {
      draws.push_back(MeasureCrawl(pages, changes, crawl, grid, domains, options.bias));
    }
    measured.push_back(MergeDraws(std::move(draws)));
  }
  BootstrapResult bootstrap = Bootstrap(pages, measured, options.bootstrap);
  report.resampled_domains = bootstrap.domains;
  for (size_t i = 0; i < measured.size(); ++i) {
    const auto draws = crawls.subspan(i * options.draws, options.draws);
    report.strategies.push_back({.name = draws[0].name,
                                 .ending = draws[0].ending,
                                 .fetches = FetchesOf(draws),
                                 .known = measured[i].known,
                                 .took = draws[0].took,
                                 .idle = draws[0].idle,
                                 .by_fetches = std::move(measured[i].by_fetches),
                                 .by_time = std::move(measured[i].by_time),
                                 .final = measured[i].final,
                                 .intervals = Widened(bootstrap.intervals[i], measured[i].spread),
                                 .inversions = CountInversions(pages, draws[0])});
  }
  size_t pair = 0;
  for (size_t base = 0; base < measured.size(); ++base) {
    for (size_t other = base + 1; other < measured.size(); ++other, ++pair) {
      CrawlDifference difference = Compare(report, base, other);
      std::array<double, kMetrics> spread;
      std::array<double, kMetrics> ratio_spread;
      for (size_t m = 0; m < kMetrics; ++m) {
        spread[m] = std::hypot(measured[base].spread[m], measured[other].spread[m]);
        const double of_base = measured[base].final.measured[m].estimate;
        ratio_spread[m] = of_base > 0 ? spread[m] / of_base : 0;
      }
      difference.interval = Widened(bootstrap.differences[pair], spread);
      difference.ratio_interval = Widened(bootstrap.ratios[pair], ratio_spread);
      SetVerdict(report, &difference);
      report.differences.push_back(std::move(difference));
      if (base != 0) continue;
      report.changes.push_back(
          ChangesOf(pages, measured[base], measured[other], report.aim, options.domains));
      report.changes.back().base = base;
      report.changes.back().other = other;
    }
  }
  return report;
}

}  // namespace orbweaver::lab
