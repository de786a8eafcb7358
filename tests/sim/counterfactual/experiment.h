// A crawl that is recorded, strategies that are judged by the recording, and what they really do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "common/url/domain.h"
#include "lab/crawl/recorded_web.h"
#include "lab/crawl/virtual_crawl.h"
#include "lab/report/page_value.h"
#include "lab/report/recorded_pages.h"
#include "lab/report/report_model.h"
#include "tests/sim/counterfactual/synthetic_source.h"
#include "tests/support/synthetic_web/web.h"

namespace orbweaver::lab {

// When a crawl ends: after so many fetches, or so much time.
struct CrawlLimit {
  uint64_t budget = 0;
  Duration time{};
};

// Mistakes that a prediction can be made with.
enum class Mistake : uint8_t { kNone, kUnknownIsFailure, kLatencyIgnored };

// The figures of a finished crawl.
struct RealFigures {
  double fetches = 0;
  double unique = 0;  // pages with a content that none before had
  double value = 0;   // pages that kValue is true of
  double errors = 0;
};

// Place: one a seed, in tests. A web of 60 domains with 40 pages each, one page in eight gone,
// hosts that are quick and slow; recorded by `breadth_first` with exploration.
class Experiment {
 public:
  static constexpr char kValue[] = "status = 200 and url like '%7%'";

  Experiment(uint64_t seed, const std::filesystem::path& folder);

  // The strategy crawls the web itself.
  RealFigures Really(const std::string& strategy, const CrawlLimit& limit);
  // The same as the report on the recording has it.
  StrategyReport Predict(const std::string& strategy, const CrawlLimit& limit,
                         Mistake mistake = Mistake::kNone);

  const RecordedWeb& recorded() const { return *recorded_; }

 private:
  // The setup of the same crawl of whatever web.
  VirtualCrawlSetup SetupOf(CrawlSource& source, Strategy& strategy, const CrawlLimit& limit) const;
  void Record();

  const uint64_t seed_;
  const std::filesystem::path folder_;
  const std::unique_ptr<const PublicSuffixes> suffixes_;
  const std::unique_ptr<const synthetic::Web> web_;
  const PageValue value_;
  std::unique_ptr<RecordedWeb> recorded_;
  std::unique_ptr<RecordedPages> pages_;
};

}  // namespace orbweaver::lab
