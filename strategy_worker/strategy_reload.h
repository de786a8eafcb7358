// SIGHUP to a strategy worker: its strategy is made anew while it runs.
#pragma once

#include <atomic>

#include "common/metrics/metric_registry.h"
#include "strategy_worker/host/loaded_strategy.h"

namespace orbweaver {

// Place: beside the thread that runs the worker, which calls it between two batches.
class StrategyReload {
 public:
  // `wanted` is set on any thread; all outlive this.
  StrategyReload(LoadedStrategy& strategy, std::atomic<bool>& wanted, MetricRegistry& metrics);

  // Reloads the strategy once for all that has been wanted since the last call, logs how that
  // ended, and counts it. A strategy that is refused goes on as it was.
  void RunIfWanted();

 private:
  LoadedStrategy& strategy_;
  std::atomic<bool>& wanted_;
  Counter& done_;
  Counter& refused_;
};

}  // namespace orbweaver
