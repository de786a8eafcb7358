#include "lab/report/merged_draws.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "common/base/check.h"

namespace orbweaver::lab {
namespace {

// The 97.5th percentile of Student's t with 1, 2, … degrees of freedom.
constexpr double kStudent[kMostDraws - 1] = {12.706, 4.303, 3.182, 2.776, 2.571,
                                             2.447,  2.365, 2.306, 2.262};

struct Spread {
  double mean = 0;
  double margin = 0;
};

// Of a number that each draw has.
template <typename Number>
Spread SpreadOf(const std::vector<MeasuredCrawl>& draws, Number number) {
  const auto count = static_cast<double>(draws.size());
  double sum = 0;
  double squares = 0;
  for (const MeasuredCrawl& draw : draws) sum += number(draw);
  const double mean = sum / count;
  for (const MeasuredCrawl& draw : draws) squares += std::pow(number(draw) - mean, 2);
  const double deviation = std::sqrt(squares / (count - 1));
  return {.mean = mean,
          .margin = kStudent[draws.size() - 2] * deviation * std::sqrt(1 + 1 / count)};
}

double MostOf(Metric metric) {
  using enum Metric;
  const bool is_share = metric == kPageRank || metric == kInLinks || metric == kFresh;
  return is_share ? 1 : std::numeric_limits<double>::max();
}

// `point` gives that of a draw. Replaces the first draw's.
template <typename Point>
void MergePoint(std::vector<MeasuredCrawl>& draws, Point point) {
  const auto whole = [&](auto member) {
    return std::llround(SpreadOf(draws, [&](const MeasuredCrawl& draw) {
                          return static_cast<double>(member(point(draw)));
                        }).mean);
  };
  CurvePoint merged;
  merged.fetches = static_cast<uint64_t>(whole([](const CurvePoint& at) { return at.fetches; }));
  merged.known = static_cast<uint64_t>(whole([](const CurvePoint& at) { return at.known; }));
  merged.at = Duration(whole([](const CurvePoint& at) { return at.at.count(); }));
  for (const Metric metric : kAllMetrics) {
    const auto m = static_cast<size_t>(metric);
    const auto of = [&](double Bounded::* side) {
      return SpreadOf(draws,
                      [&](const MeasuredCrawl& draw) { return point(draw).measured[m].*side; });
    };
    const Spread low = of(&Bounded::low);
    const Spread high = of(&Bounded::high);
    merged.measured[m] = {.low = std::max(0.0, low.mean - low.margin),
                          .estimate = of(&Bounded::estimate).mean,
                          .high = std::min(MostOf(metric), high.mean + high.margin)};
  }
  point(draws[0]) = merged;
}

void MergeCurves(std::vector<MeasuredCrawl>& draws,
                 std::vector<CurvePoint> MeasuredCrawl::* curve) {
  size_t points = (draws[0].*curve).size();
  for (const MeasuredCrawl& draw : draws) points = std::min(points, (draw.*curve).size());
  for (MeasuredCrawl& draw : draws) {
    // The last point is the end, which need not lie on the grid.
    (draw.*curve)[points - 1] = (draw.*curve).back();
    (draw.*curve).resize(points);
  }
  for (size_t i = 0; i < points; ++i) {
    MergePoint(draws, [&](auto& draw) -> auto& { return (draw.*curve)[i]; });
  }
}

void MergeParts(std::vector<MeasuredCrawl>& draws) {
  const auto count = static_cast<double>(draws.size());
  MeasuredCrawl& merged = draws[0];
  for (size_t m = 0; m < kMetrics; ++m) {
    for (size_t domain = 0; domain < merged.parts[m].size(); ++domain) {
      DomainPart sum;
      for (const MeasuredCrawl& draw : draws) {
        const DomainPart& part = draw.parts[m][domain];
        sum.known += part.known / count;
        sum.own += part.own / count;
        sum.from_all += part.from_all / count;
      }
      merged.parts[m][domain] = sum;
    }
  }
  for (size_t domain = 0; domain < merged.fetches_of.size(); ++domain) {
    uint64_t sum = 0;
    for (const MeasuredCrawl& draw : draws) sum += draw.fetches_of[domain];
    // A domain that any draw fetched from keeps at least one.
    merged.fetches_of[domain] = (sum + draws.size() - 1) / draws.size();
  }
}

}  // namespace

MeasuredCrawl MergeDraws(std::vector<MeasuredCrawl> draws) {
  CHECK(!draws.empty() && draws.size() <= kMostDraws);
  if (draws.size() == 1) return std::move(draws[0]);
  std::array<double, kMetrics> spread{};
  for (size_t m = 0; m < kMetrics; ++m) {
    spread[m] = SpreadOf(draws, [&](const MeasuredCrawl& draw) {
                  return draw.final.measured[m].estimate;
                }).margin;
  }
  const double known = SpreadOf(draws, [](const MeasuredCrawl& draw) {
                         return static_cast<double>(draw.known);
                       }).mean;
  MergePoint(draws, [](auto& draw) -> auto& { return draw.final; });
  MergeCurves(draws, &MeasuredCrawl::by_fetches);
  MergeCurves(draws, &MeasuredCrawl::by_time);
  MergeParts(draws);
  draws[0].spread = spread;
  draws[0].known = static_cast<uint64_t>(std::llround(known));
  return std::move(draws[0]);
}

Interval Widen(const Interval& interval, double spread) {
  const double middle = (interval.low + interval.high) / 2;
  const double half = std::hypot((interval.high - interval.low) / 2, spread);
  return {.low = middle - half, .high = middle + half};
}

}  // namespace orbweaver::lab
