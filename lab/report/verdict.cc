#include "lab/report/verdict.h"

#include <cmath>
#include <string>

#include "fmt/format.h"

#include "lab/report/figures.h"

namespace orbweaver::lab {
namespace {

std::string Thing(const Report& report) {
  return report.aim == Metric::kValue ? "value" : "unique pages";
}

// "12 % (8 % to 16 %)".
std::string Amount(const CrawlDifference& difference, size_t metric) {
  if (!difference.ratio[metric].has_value()) {
    return ShowSigned(difference.absolute[metric].estimate);
  }
  std::string text = ShowPercent(std::abs(*difference.ratio[metric]));
  if (const auto& interval = difference.ratio_interval[metric]; interval.has_value()) {
    const bool more = *difference.ratio[metric] >= 0;
    text += fmt::format(" ({} to {})", ShowPercent(more ? interval->low : -interval->high),
                        ShowPercent(more ? interval->high : -interval->low));
  }
  return text;
}

}  // namespace

void SetVerdict(const Report& report, CrawlDifference* difference) {
  const StrategyReport& base = report.strategies[difference->base];
  const StrategyReport& other = report.strategies[difference->other];
  const StrategyReport& weaker = other.support() < base.support() ? other : base;
  if (weaker.support() < report.needed_support && !report.forced) {
    difference->verdict = fmt::format(
        "No verdict on {} and {}: only {} of the fetches of {} have a recorded outcome, and {} "
        "are needed. A larger recording helps, one that explored, or fewer fetches",
        base.name, other.name, ShowPercent(weaker.support()), weaker.name,
        ShowPercent(report.needed_support));
    return;
  }
  difference->has_verdict = true;
  const auto m = static_cast<size_t>(report.aim);
  const Bounded& gap = difference->absolute[m];
  const std::string thing = Thing(report);
  const std::string after = fmt::format("after {}", ShowCount(report.compared_fetches, "fetch"));
  const auto& interval = difference->interval[m];
  // With the interval where there is one; the bounds say what the recording leaves open.
  const bool is_open = interval.has_value() ? interval->low <= 0 && interval->high >= 0
                                            : gap.low <= 0 && gap.high >= 0;
  if (gap.estimate == 0 && gap.low == 0 && gap.high == 0) {
    difference->verdict =
        fmt::format("{} and {} gather as many {} {}", base.name, other.name, thing, after);
    if (report.aim == Metric::kValue) {
      difference->verdict =
          fmt::format("{} and {} gather the same value {}", base.name, other.name, after);
    }
  } else if (is_open) {
    difference->verdict =
        fmt::format("No difference in {} is certain between {} and {} {}: from {} to {}", thing,
                    base.name, other.name, after,
                    ShowFigureSigned(report.aim, interval.has_value() ? interval->low : gap.low),
                    ShowFigureSigned(report.aim, interval.has_value() ? interval->high : gap.high));
  } else {
    difference->verdict =
        fmt::format("{} gathers {} {} {} than {} {}", other.name, Amount(*difference, m),
                    gap.estimate >= 0              ? "more"
                    : report.aim == Metric::kValue ? "less"
                                                   : "fewer",
                    thing, base.name, after);
    if (gap.low > 0 || gap.high < 0) {
      difference->verdict += ", whatever the unknown pages are";
    } else if (interval.has_value()) {
      difference->verdict += ", if unknown pages are as those of the same domain and depth";
    }
  }
  if (weaker.support() < report.needed_support) {
    difference->verdict +=
        fmt::format(" (forced: the support is only {})", ShowPercent(weaker.support()));
  }
}

}  // namespace orbweaver::lab
