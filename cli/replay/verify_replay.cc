#include "cli/replay/verify_replay.h"

#include <memory>

#include "cli/amounts.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/record/progress_line.h"
#include "cli/replay/replay_report.h"

#include "common/base/status.h"
#include "common/runtime/signal_watcher.h"
#include "lab/replay/verification.h"
#include "strategy_worker/host/loader.h"

namespace orbweaver {
namespace {

constexpr Duration kStopDeadline = std::chrono::seconds(60);

}  // namespace

absl::StatusOr<int> VerifyRecording(const ReplayTask& task) {
  ASSIGN_OR_RETURN(const auto strategy, LoadStrategy(task.strategies[0].options, /*seed=*/1));
  StopRequest stop;
  SignalWatcher signals(stop, kStopDeadline);
  signals.Start();
  const uint64_t all = task.Events();
  ASSIGN_OR_RETURN(const auto worker, task.NewWorker(*strategy));
  lab::VerificationResult result;
  {
    ProgressLine progress;
    ASSIGN_OR_RETURN(result, lab::Verify(task.recording, *worker, [&](uint64_t events) {
                       progress.Show(Count(events, "event"), events, all);
                       return !stop.requested();
                     }));
  }
  ReplayReport report{.result = result, .first = {}, .strategy = task.strategies[0].name};
  if (result.first.has_value()) {
    ASSIGN_OR_RETURN(const auto again, task.NewWorker(*strategy));
    ASSIGN_OR_RETURN(report.first, Describe(task.recording, *result.first, *again));
  }
  Print("{}", task.json ? ReportJson(report) : ReportText(report));
  if (result.first.has_value()) return kExitFailed;
  return result.is_complete ? kExitOk : kExitStopped;
}

}  // namespace orbweaver
