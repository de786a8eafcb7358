// Counterfactual crawls judged by the value of their pages, and the report on them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "cli/replay/crawl_replay_arguments.h"
#include "cli/replay/replay_task.h"

#include "lab/crawl/crawl_trace.h"
#include "lab/crawl/recorded_web.h"
#include "lab/report/oracle.h"
#include "lab/report/page_value.h"
#include "lab/report/recorded_pages.h"
#include "lab/report/report_model.h"
#include "strategy_worker/host/strategy.h"

namespace orbweaver {

// Whether it is the strategy that only counterfactual crawls have (lab/report/oracle.h).
bool IsOracle(const StrategyOptions& options);
// Whether the strategy can be loaded; of the oracle, whether it can be had here.
absl::Status CheckStrategy(const ListedStrategy& listed, bool is_crawl);

// Place: in CrawlRecording, before the crawls and after them. Not thread-safe but for NewOracle.
class CrawlEvaluation {
 public:
  // The value of --value or --value-file. Fatal or poison, naming the option.
  static absl::StatusOr<lab::PageValue> ReadValue(const ReplayTask& task,
                                                  const CrawlReplayArguments& arguments);

  // Reads all recorded pages, with its progress. `value` and `web` must outlive this. A cancelled
  // status: `go_on` said false.
  static absl::StatusOr<std::unique_ptr<CrawlEvaluation>> Read(const lab::RecordedWeb& web,
                                                               const lab::PageValue& value,
                                                               absl::FunctionRef<bool()> go_on);

  std::unique_ptr<Strategy> NewOracle() const;

  // `draws`: of each strategy at least one crawl; one alone stands for all its draws. Crawls that
  // were stopped before their first fetch are left out.
  lab::Report Evaluate(const ReplayTask& task, const CrawlReplayArguments& arguments,
                       const std::vector<std::vector<lab::CrawlTrace>>& draws);

 private:
  CrawlEvaluation(const lab::RecordedWeb& web, const lab::PageValue& value,
                  std::unique_ptr<lab::RecordedPages> pages)
      : web_(web), value_(value), pages_(std::move(pages)), promises_(pages_->table()) {}

  const lab::RecordedWeb& web_;
  const lab::PageValue& value_;
  const std::unique_ptr<lab::RecordedPages> pages_;
  const lab::OraclePromises promises_;
};

// The sentences that the report comes to, a line each.
std::string VerdictText(const lab::Report& report);
// The same with the figures of the pair, as an array.
std::string VerdictJson(const lab::Report& report);

}  // namespace orbweaver
