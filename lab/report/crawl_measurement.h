// A crawl measured: its curves, and what each registered domain has part in them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lab/report/crawl_fetches.h"
#include "lab/report/freshness.h"
#include "lab/report/page_table.h"
#include "lab/report/report_model.h"

namespace orbweaver::lab {

// Mistakes that a test plants, to see that it would notice them.
enum class PlantedBias : uint8_t { kNone, kUnknownIsFailure };

// The part of one domain in a metric that is a sum over domains.
struct DomainPart {
  double known = 0;     // from recorded outcomes
  double own = 0;       // from estimates by the domain's own pages
  double from_all = 0;  // times the mean over all domains: from estimates too
};

inline constexpr bool IsSumOverDomains(Metric metric) {
  return metric != Metric::kFresh && metric != Metric::kAge;
}
// Whose mean `from_all` is a factor of.
OutcomePart PartOf(Metric metric, const PageTable& pages);

struct MeasuredCrawl {
  std::vector<CurvePoint> by_fetches;
  std::vector<CurvePoint> by_time;
  CurvePoint final;  // after `compared_fetches`
  // By the number of a domain; until `compared_fetches`.
  std::array<std::vector<DomainPart>, kMetrics> parts;
  std::vector<uint64_t> fetches_of;
  uint64_t known = 0;  // of all fetches
  // Of `final`'s estimates, where several draws were merged (merged_draws.h).
  std::array<double, kMetrics> spread{};
};

struct MeasurementGrid {
  uint64_t most_fetches = 0;  // of the longest crawl
  int64_t longest_ms = 0;
  uint64_t compared_fetches = 0;
  size_t points = 200;
};

// One pass over the fetches. `domains`: one more than the largest number of a domain.
MeasuredCrawl MeasureCrawl(const PageTable& pages, const PageChanges& changes,
                           const CrawlFetches& crawl, const MeasurementGrid& grid, size_t domains,
                           PlantedBias bias = PlantedBias::kNone);

}  // namespace orbweaver::lab
