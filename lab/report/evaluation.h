// From crawls to their report.
#pragma once

#include <span>
#include <string>

#include "lab/report/bootstrap.h"
#include "lab/report/crawl_fetches.h"
#include "lab/report/page_table.h"
#include "lab/report/report_model.h"

namespace orbweaver::lab {

struct EvaluationOptions {
  // Crawls of each strategy, with unknown pages answered otherwise in each.
  size_t draws = 1;
  std::string value;  // the user's text; empty: unique pages are the aim
  double needed_support = 0.8;
  bool force = false;   // figures below that all the same
  size_t points = 200;  // of a curve
  size_t domains = 10;  // winners and losers each
  BootstrapOptions bootstrap;
  PlantedBias bias = PlantedBias::kNone;
};

// Pure: the same input gives the same report. `crawls` has options.draws crawls of the first
// strategy, then those of the second, and so on. Strategies are compared after as many fetches as
// the shortest crawl has.
Report Evaluate(const PageTable& pages, std::span<const CrawlFetches> crawls,
                const EvaluationOptions& options);

}  // namespace orbweaver::lab
