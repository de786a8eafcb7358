// The result of counterfactual crawls, for people and as JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lab/crawl/crawl_trace.h"
#include "lab/crawl/recorded_web.h"
#include "lab/report/report_model.h"

namespace orbweaver {

// Of `orbweaver replay --crawl`: too little of it was recorded.
inline constexpr int kExitNoVerdict = 3;

struct CrawlReplayReport {
  const lab::RecordedWeb& web;
  std::span<const lab::CrawlTrace> traces;  // of each strategy the first draw
  const lab::Report& judged;                // all draws; without crawls that were stopped at once
  uint64_t budget = 0;                      // of each
  bool force = false;  // figures also of crawls of which too little was recorded
};

// "1 fetch", "1,234 fetches".
std::string Fetches(uint64_t count);

// Enough of every crawl was recorded.
bool HasVerdict(const CrawlReplayReport& report);

std::string ReportText(const CrawlReplayReport& report);
// `verdicts`: JSON of the evaluation.
std::string ReportJson(const CrawlReplayReport& report, std::string_view verdicts);

}  // namespace orbweaver
