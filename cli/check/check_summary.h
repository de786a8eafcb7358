// The output of a check besides its results: a line while it runs, and the summary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/check/check_tally.h"
#include "cli/check/url_list.h"
#include "cli/crawl/crawl_outcome.h"

#include "common/base/clock.h"

namespace orbweaver {

// One look at a running check.
struct CheckSnapshot {
  std::string_view state;  // "checking", "draining"
  Duration elapsed{};
  double per_second = 0;  // of the last seconds
  uint64_t urls = 0;      // of the list
  uint64_t left = 0;
  size_t asking = 0;
  size_t waiting = 0;
};

std::string ProgressLine(const CheckSnapshot& look, const CheckTally& tally);

struct CheckEnd {
  CrawlOutcome outcome = CrawlOutcome::kComplete;
  std::string_view why;  // "every URL is checked", "it was stopped", …
  Duration elapsed{};
  uint64_t checked_now = 0;  // by this run
  uint64_t left = 0;
  ListCounts counts;
  std::string results;  // the file
  std::string go_on;    // how to go on; empty: nothing is left, or nothing can
};

std::string SummaryText(const CheckEnd& end, const CheckTally& tally);
// The same as one line of JSON.
std::string SummaryJson(const CheckEnd& end, const CheckTally& tally);

}  // namespace orbweaver
