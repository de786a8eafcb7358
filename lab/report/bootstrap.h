// 95 % intervals by resampling registered domains.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lab/report/crawl_measurement.h"
#include "lab/report/page_table.h"
#include "lab/report/report_model.h"

namespace orbweaver::lab {

struct BootstrapOptions {
  int resamples = 1000;
  uint64_t seed = 1;
  // With fewer domains of which pages were fetched no interval means anything.
  uint64_t fewest_domains = 10;
  // Where there are more domains, they are drawn in random groups, this many.
  size_t most_groups = 4096;
};

struct BootstrapResult {
  uint64_t domains = 0;  // that were resampled; 0: too few for an interval
  // By crawl; of the sums of a metric.
  std::vector<std::array<std::optional<Interval>, kMetrics>> intervals;
  // By pair (first, second) in the order (0,1), (0,2), …, (1,2), …: of second - first, and of that
  // as a share of first where no resample has nothing of first.
  std::vector<std::array<std::optional<Interval>, kMetrics>> differences;
  std::vector<std::array<std::optional<Interval>, kMetrics>> ratios;
};

// The registered domains of which some crawl fetched are drawn with replacement, the same for all
// crawls, so that differences are paired. Means over all domains, which estimates lean on, are made
// anew from each sample. Metrics that are no sums over domains have no interval. Deterministic.
BootstrapResult Bootstrap(const PageTable& pages, std::span<const MeasuredCrawl> crawls,
                          const BootstrapOptions& options = {});

}  // namespace orbweaver::lab
