#include "cli/replay/compare_replay.h"

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/amounts.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/record/progress_line.h"
#include "cli/replay/comparison_report.h"
#include "cli/replay/event_texts.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/runtime/signal_watcher.h"
#include "lab/replay/strategy_comparison.h"
#include "strategy_worker/host/loader.h"

namespace orbweaver {
namespace {

constexpr Duration kStopDeadline = std::chrono::seconds(60);

std::vector<std::string> NamesOf(const ReplayTask& task) {
  std::vector<std::string> names;
  if (task.strategies.size() == 1) {
    const std::string& recorded = task.recording.manifest().origin.strategy;
    names.push_back(recorded.empty() ? "the recording" : fmt::format("the recorded {}", recorded));
  }
  for (const ListedStrategy& strategy : task.strategies) names.push_back(strategy.name);
  return names;
}

}  // namespace

absl::StatusOr<int> CompareDecisions(const ReplayTask& task) {
  StopRequest stop;
  SignalWatcher signals(stop, kStopDeadline);
  signals.Start();
  std::vector<std::unique_ptr<Strategy>> strategies;
  std::vector<std::unique_ptr<lab::ReplayWorker>> owned;
  std::vector<lab::ReplayWorker*> workers;
  for (const ListedStrategy& listed : task.strategies) {
    ASSIGN_OR_RETURN(auto strategy, LoadStrategy(listed.options, /*seed=*/1));
    strategies.push_back(std::move(strategy));
    ASSIGN_OR_RETURN(auto worker, task.NewWorker(*strategies.back()));
    owned.push_back(std::move(worker));
    workers.push_back(owned.back().get());
  }
  lab::StrategyComparison comparison;
  const uint64_t all = task.Events();
  {
    ProgressLine progress;
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    ASSIGN_OR_RETURN(comparison,
                     lab::CompareStrategies(task.recording, workers, cores, [&](uint64_t events) {
                       progress.Show(Count(events, "event"), events, all);
                       return !stop.requested();
                     }));
  }
  ComparisonReport report{.comparison = comparison, .names = NamesOf(task), .recorded_events = all};
  ASSIGN_OR_RETURN(report.events,
                   EventTexts(task.recording, comparison.events, NamedEvents(comparison)));
  Print("{}", task.json ? ReportJson(report) : ReportText(report));
  const bool processed = std::ranges::count(comparison.dead_letters, uint64_t{0}) ==
                         static_cast<ptrdiff_t>(comparison.dead_letters.size());
  if (task.strict && !processed) return kExitFailed;
  return comparison.is_complete ? kExitOk : kExitStopped;
}

}  // namespace orbweaver
