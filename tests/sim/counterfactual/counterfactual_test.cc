// Whether a report on a recording tells the truth: what it says of strategies that were never run
// is held against what they really do.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "tests/sim/counterfactual/experiment.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver::lab {
namespace {

constexpr std::string_view kStrategies[] = {"opic", "discovery", "depth_first", "random"};
constexpr CrawlLimit kByFetches{.budget = 700};
constexpr CrawlLimit kByTime{.time = std::chrono::seconds(40)};
constexpr CrawlLimit kLimits[] = {kByFetches, kByTime};

int Seeds() {
  const char* const more = std::getenv("ORBWEAVER_COUNTERFACTUAL_SEEDS");
  return more == nullptr ? 3 : std::atoi(more);
}

// How often what really happened lay where the report says.
struct Agreement {
  int checked = 0;
  int within_bounds = 0;
  int within_interval = 0;
  double support = 0;  // the sum
};

void Hold(const StrategyReport& report, Metric metric, double real, Agreement* agreement) {
  const auto at = static_cast<size_t>(metric);
  // At the end of the time, or of the fetches.
  const Bounded& bounds = report.by_time.back().measured[at];
  ++agreement->checked;
  agreement->within_bounds += bounds.low <= real && real <= bounds.high ? 1 : 0;
  const auto& interval = report.intervals[at];
  const bool within = interval && interval->low <= real && real <= interval->high;
  agreement->within_interval += within ? 1 : 0;
  if (std::getenv("ORBWEAVER_COUNTERFACTUAL_TRACE") != nullptr) {
    fmt::print(
        "  {} {}: real {:.0f} bounds {:.0f}..{:.0f} estimate {:.1f} interval {:.1f}..{:.1f}\n",
        report.name, MetricName(metric), real, bounds.low, bounds.high, bounds.estimate,
        interval ? interval->low : -1, interval ? interval->high : -1);
  }
}

std::map<std::string, Agreement> AgreementOver(int seeds, std::span<const CrawlLimit> limits,
                                               Mistake mistake) {
  std::map<std::string, Agreement> agreements;
  for (int seed = 1; seed <= seeds; ++seed) {
    const ScratchFolder scratch;
    Experiment experiment(static_cast<uint64_t>(seed), scratch.path() / "recording");
    for (const std::string_view strategy : kStrategies) {
      for (const CrawlLimit& limit : limits) {
        const RealFigures real = experiment.Really(std::string(strategy), limit);
        const StrategyReport report = experiment.Predict(std::string(strategy), limit, mistake);
        Agreement& agreement =
            agreements[fmt::format("{} {}", strategy, limit.budget > 0 ? "by fetches" : "by time")];
        agreement.support += report.support();
        Hold(report, Metric::kUnique, real.unique, &agreement);
        Hold(report, Metric::kValue, real.value, &agreement);
        Hold(report, Metric::kErrors, real.errors, &agreement);
      }
    }
  }
  return agreements;
}

void Print(const std::map<std::string, Agreement>& agreements, int seeds) {
  for (const auto& [name, agreement] : agreements) {
    fmt::print(
        "{:24} {:4} figures, {:5.1f} % within bounds, {:5.1f} % within interval, support {:.2f}\n",
        name, agreement.checked, 100.0 * agreement.within_bounds / agreement.checked,
        100.0 * agreement.within_interval / agreement.checked, agreement.support / seeds);
  }
}

constexpr double kWithinBounds = 0.95;
constexpr double kWithinInterval = 0.90;
// So few figures say nothing by themselves.
constexpr int kEnough = 100;

// Of one strategy: two standard errors below the share of all.
double LeastOfOne(double share, int checked) {
  return share - 2 * std::sqrt(share * (1 - share) / checked);
}

TEST(CounterfactualTest, RealFiguresLieWithinTheBoundsAndTheInterval) {
  const auto agreements = AgreementOver(Seeds(), kLimits, Mistake::kNone);
  Print(agreements, Seeds());
  Agreement all;
  for (const auto& [name, agreement] : agreements) {
    all.checked += agreement.checked;
    all.within_bounds += agreement.within_bounds;
    all.within_interval += agreement.within_interval;
    const int checked = agreement.checked;
    if (checked < kEnough) continue;
    EXPECT_GE(agreement.within_bounds, LeastOfOne(kWithinBounds, checked) * checked) << name;
    EXPECT_GE(agreement.within_interval, LeastOfOne(kWithinInterval, checked) * checked) << name;
  }
  EXPECT_GE(all.within_bounds, kWithinBounds * all.checked);
  EXPECT_GE(all.within_interval, kWithinInterval * all.checked);
}

// The share of figures within bounds of reports that are made with the mistake.
double TrueShare(Mistake mistake, const CrawlLimit& limit) {
  const int seeds = std::min(Seeds(), 10);
  const auto agreements = AgreementOver(seeds, {&limit, 1}, mistake);
  Print(agreements, seeds);
  double within = 0;
  double checked = 0;
  for (const auto& [name, agreement] : agreements) {
    within += agreement.within_bounds;
    checked += agreement.checked;
  }
  return within / checked;
}

TEST(CounterfactualTest, ThatUnknownPagesCountAsFailuresIsNoticed) {
  EXPECT_LT(TrueShare(Mistake::kUnknownIsFailure, kByFetches), 0.85);
}

TEST(CounterfactualTest, ThatLatencyIsIgnoredIsNoticed) {
  EXPECT_LT(TrueShare(Mistake::kLatencyIgnored, kByTime), 0.85);
}

}  // namespace
}  // namespace orbweaver::lab
