#include "lab/report/evaluation.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>
#include <vector>

#include "lab/report/crawl_measurement.h"
#include "lab/report/freshness.h"
#include "lab/report/inversions.h"
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
  for (const CrawlFetches& crawl : crawls) {
    measured.push_back(MeasureCrawl(pages, changes, crawl, grid, domains, options.bias));
  }
  BootstrapResult bootstrap = Bootstrap(pages, measured, options.bootstrap);
  report.resampled_domains = bootstrap.domains;
  for (size_t i = 0; i < crawls.size(); ++i) {
    report.strategies.push_back({.name = crawls[i].name,
                                 .ending = crawls[i].ending,
                                 .fetches = crawls[i].fetches.size(),
                                 .known = measured[i].known,
                                 .took = crawls[i].took,
                                 .idle = crawls[i].idle,
                                 .by_fetches = std::move(measured[i].by_fetches),
                                 .by_time = std::move(measured[i].by_time),
                                 .final = measured[i].final,
                                 .intervals = bootstrap.intervals[i],
                                 .inversions = CountInversions(pages, crawls[i])});
  }
  size_t pair = 0;
  for (size_t base = 0; base < crawls.size(); ++base) {
    for (size_t other = base + 1; other < crawls.size(); ++other, ++pair) {
      CrawlDifference difference = Compare(report, base, other);
      difference.interval = bootstrap.differences[pair];
      difference.ratio_interval = bootstrap.ratios[pair];
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
