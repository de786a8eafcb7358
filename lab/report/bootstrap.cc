#include "lab/report/bootstrap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "common/base/random.h"

namespace orbweaver::lab {
namespace {

// One row of numbers a group of domains: for each crawl and metric three, then the recorded weight
// and sums that the mean over all is made of.
class GroupSums {
 public:
  GroupSums(const PageTable& pages, std::span<const MeasuredCrawl> crawls,
            const BootstrapOptions& options)
      : crawls_(crawls.size()), width_(crawls.size() * kMetrics * 3 + 1 + kOutcomeParts) {
    const size_t domains = crawls.empty() ? 0 : crawls[0].fetches_of.size();
    std::vector<uint32_t> fetched;
    for (uint32_t domain = 0; domain < domains; ++domain) {
      const auto has = [&](const MeasuredCrawl& crawl) { return crawl.fetches_of[domain] > 0; };
      if (std::ranges::any_of(crawls, has)) fetched.push_back(domain);
    }
    domains_ = fetched.size();
    groups_ = std::min(fetched.size(), options.most_groups);
    // At random, since neighbours in the order of domains may be alike.
    Random random(options.seed);
    for (size_t i = fetched.size(); i > 1; --i) std::swap(fetched[i - 1], fetched[random.Below(i)]);
    sums_.resize(groups_ * width_);
    for (size_t i = 0; i < fetched.size(); ++i) {
      Add(pages, crawls, fetched[i], &sums_[(i % groups_) * width_]);
    }
  }

  size_t domains() const { return domains_; }
  size_t groups() const { return groups_; }
  size_t width() const { return width_; }
  const double* Row(size_t group) const { return &sums_[group * width_]; }

  // The sum of a metric, when `row` are the sums of a whole sample.
  double Total(const PageTable& pages, const std::vector<double>& row, size_t crawl,
               Metric metric) const {
    const double* const at = &row[(crawl * kMetrics + static_cast<size_t>(metric)) * 3];
    const double* const all = &row[crawls_ * kMetrics * 3];
    const auto part = static_cast<size_t>(PartOf(metric, pages));
    const double mean = all[0] > 0 ? all[1 + part] / all[0] : 0;
    return at[0] + at[1] + at[2] * mean;
  }

 private:
  void Add(const PageTable& pages, std::span<const MeasuredCrawl> crawls, uint32_t domain,
           double* row) const {
    for (const MeasuredCrawl& crawl : crawls) {
      for (const auto& parts : crawl.parts) {
        *row++ += parts[domain].known;
        *row++ += parts[domain].own;
        *row++ += parts[domain].from_all;
      }
    }
    const OutcomeEstimate::Sums* const recorded = pages.estimate().OfDomain(domain);
    if (recorded == nullptr) return;
    *row++ += recorded->weight;
    for (const double sum : recorded->weighted) *row++ += sum;
  }

  const size_t crawls_;
  const size_t width_;
  size_t domains_ = 0;
  size_t groups_ = 0;
  std::vector<double> sums_;
};

// From the percentiles; reorders.
Interval IntervalOf(std::vector<double>& samples) {
  std::ranges::sort(samples);
  const auto at = [&](double share) {
    return samples[static_cast<size_t>(
        std::lround(share * static_cast<double>(samples.size() - 1)))];
  };
  return {.low = at(0.025), .high = at(0.975)};
}

}  // namespace

BootstrapResult Bootstrap(const PageTable& pages, std::span<const MeasuredCrawl> crawls,
                          const BootstrapOptions& options) {
  const size_t pairs = crawls.size() * (crawls.size() - std::min<size_t>(crawls.size(), 1)) / 2;
  BootstrapResult result;
  result.intervals.resize(crawls.size());
  result.differences.resize(pairs);
  result.ratios.resize(pairs);
  const GroupSums groups(pages, crawls, options);
  if (groups.domains() < options.fewest_domains) return result;
  result.domains = groups.domains();

  // totals[metric][crawl] has one number a resample.
  std::array<std::vector<std::vector<double>>, kMetrics> totals;
  for (auto& by_crawl : totals) by_crawl.resize(crawls.size());
  Random random(options.seed);
  std::vector<double> sample(groups.width());
  for (int i = 0; i < options.resamples; ++i) {
    std::ranges::fill(sample, 0);
    for (size_t draw = 0; draw < groups.groups(); ++draw) {
      const double* const row = groups.Row(random.Below(groups.groups()));
      for (size_t k = 0; k < sample.size(); ++k) sample[k] += row[k];
    }
    for (const Metric metric : kAllMetrics) {
      if (!IsSumOverDomains(metric)) continue;
      for (size_t crawl = 0; crawl < crawls.size(); ++crawl) {
        totals[static_cast<size_t>(metric)][crawl].push_back(
            groups.Total(pages, sample, crawl, metric));
      }
    }
  }
  for (const Metric metric : kAllMetrics) {
    if (!IsSumOverDomains(metric)) continue;
    const auto m = static_cast<size_t>(metric);
    size_t pair = 0;
    for (size_t base = 0; base < crawls.size(); ++base) {
      const std::vector<double>& of_base = totals[m][base];
      for (size_t other = base + 1; other < crawls.size(); ++other, ++pair) {
        std::vector<double> differences;
        std::vector<double> ratios;
        for (size_t i = 0; i < of_base.size(); ++i) {
          differences.push_back(totals[m][other][i] - of_base[i]);
          if (of_base[i] > 0) ratios.push_back(differences.back() / of_base[i]);
        }
        result.differences[pair][m] = IntervalOf(differences);
        if (ratios.size() == of_base.size()) result.ratios[pair][m] = IntervalOf(ratios);
      }
    }
    for (size_t crawl = 0; crawl < crawls.size(); ++crawl) {
      std::vector<double> samples = totals[m][crawl];
      result.intervals[crawl][m] = IntervalOf(samples);
    }
  }
  return result;
}

}  // namespace orbweaver::lab
