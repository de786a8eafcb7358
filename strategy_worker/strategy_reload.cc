#include "strategy_worker/strategy_reload.h"

#include "common/base/log.h"
#include "common/base/status.h"

namespace orbweaver {
namespace {

constexpr char kModule[] = "strategy";

Counter& Reloads(MetricRegistry& metrics, const char* result) {
  return metrics.AddCounter("orbweaver_strategy_reloads_total",
                            "Reloads of the strategy that SIGHUP asked for", {{"result", result}});
}

}  // namespace

StrategyReload::StrategyReload(LoadedStrategy& strategy, std::atomic<bool>& wanted,
                               MetricRegistry& metrics)
    : strategy_(strategy),
      wanted_(wanted),
      done_(Reloads(metrics, "done")),
      refused_(Reloads(metrics, "refused")) {}

void StrategyReload::RunIfWanted() {
  if (!wanted_.exchange(false)) return;
  const absl::Status reloaded = strategy_.Reload();
  if (reloaded.ok()) {
    done_.Increment();
    Log(LogLevel::kInfo, kModule, "strategy '{}' is reloaded", strategy_.name());
  } else {
    refused_.Increment();
    Log(LogLevel::kError, kModule, "{}", MessageOf(reloaded));
  }
}

}  // namespace orbweaver
