#include "lab/report/merged_draws.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace orbweaver::lab {
namespace {

constexpr auto kUnique = static_cast<size_t>(Metric::kUnique);
constexpr auto kRank = static_cast<size_t>(Metric::kPageRank);

// One domain, two points a curve.
MeasuredCrawl Draw(double low, double high, uint64_t known) {
  MeasuredCrawl crawl;
  CurvePoint point{.fetches = 100, .at = std::chrono::seconds(known), .known = known};
  point.measured[kUnique] = {.low = low, .estimate = (low + high) / 2, .high = high};
  point.measured[kRank] = {.low = 0.9, .estimate = 0.9, .high = low / 14};
  crawl.by_fetches = crawl.by_time = {CurvePoint(), point};
  crawl.final = point;
  for (auto& parts : crawl.parts) parts = {{.known = low, .own = high - low}};
  crawl.fetches_of = {known};
  crawl.known = known;
  return crawl;
}

// 10, 12 and 14: mean 12, deviation 2; Student's t of two degrees of freedom is 4.303.
const double kMargin = 4.303 * 2 * std::sqrt(1 + 1 / 3.0);

TEST(MergedDraws, BoundsAreAsWideAsAFurtherDrawNeeds) {
  const MeasuredCrawl merged = MergeDraws({Draw(10, 20, 7), Draw(12, 22, 8), Draw(14, 24, 9)});
  for (const CurvePoint& point : {merged.final, merged.by_fetches[1], merged.by_time[1]}) {
    EXPECT_NEAR(12 - kMargin, point.measured[kUnique].low, 1e-9);
    EXPECT_NEAR(17, point.measured[kUnique].estimate, 1e-9);
    EXPECT_NEAR(22 + kMargin, point.measured[kUnique].high, 1e-9);
    EXPECT_EQ(8, point.known);
    EXPECT_EQ(std::chrono::seconds(8), point.at);
  }
  EXPECT_NEAR(kMargin, merged.spread[kUnique], 1e-9);
  EXPECT_EQ(8, merged.known);
  EXPECT_NEAR(12, merged.parts[kUnique][0].known, 1e-9);
  EXPECT_EQ(8, merged.fetches_of[0]);
}

TEST(MergedDraws, NothingIsBelowNoneAndNoShareAboveAll) {
  const MeasuredCrawl merged = MergeDraws({Draw(0, 20, 7), Draw(14, 22, 8)});
  EXPECT_EQ(0, merged.final.measured[kUnique].low);
  EXPECT_EQ(1, merged.final.measured[kRank].high);
}

TEST(MergedDraws, OneDrawIsLeftAsItIs) {
  const MeasuredCrawl merged = MergeDraws({Draw(10, 20, 7)});
  EXPECT_EQ(10, merged.final.measured[kUnique].low);
  EXPECT_EQ(20, merged.final.measured[kUnique].high);
  EXPECT_EQ(0, merged.spread[kUnique]);
}

// The end of a crawl need not lie on the grid, and the shortest draw ends first.
TEST(MergedDraws, CurvesEndWhereTheShortestEndsWithTheEndsOfAll) {
  MeasuredCrawl longer = Draw(12, 22, 8);
  longer.by_time.insert(longer.by_time.begin() + 1, CurvePoint());
  const MeasuredCrawl merged = MergeDraws({Draw(12, 22, 8), longer});
  ASSERT_EQ(2, merged.by_time.size());
  EXPECT_EQ(12, merged.by_time[1].measured[kUnique].low);
}

TEST(MergedDraws, AnIntervalGrowsByWhatIsIndependentOfIt) {
  const Interval wider = Widen({.low = 10, .high = 16}, 4);
  EXPECT_NEAR(8, wider.low, 1e-9);
  EXPECT_NEAR(18, wider.high, 1e-9);
}

}  // namespace
}  // namespace orbweaver::lab
