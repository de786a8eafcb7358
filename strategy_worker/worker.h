// The strategy worker whole, on whatever bus and store: what its own process and `orbweaver crawl`
// run.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/metrics/metric_registry.h"
#include "common/runtime/step_loop.h"
#include "common/scope/crawl_scope.h"
#include "common/store/store.h"
#include "common/url/domain.h"
#include "common/url/options.h"
#include "common/worker/log_session.h"
#include "strategy_worker/core/background_write.h"
#include "strategy_worker/core/options.h"
#include "strategy_worker/core/strategy_core.h"
#include "strategy_worker/host/strategy.h"
#include "strategy_worker/states/state_metrics.h"
#include "strategy_worker/states/state_options.h"

namespace orbweaver {

// The objects that outlive a worker that is fenced and made anew.
struct StrategyWorkerParts {
  Bus& bus;
  Store& store;
  Strategy& strategy;
  const PublicSuffixes& suffixes;
  MetricRegistry& metrics;
  StateMetrics& state_metrics;
  StrategyWorkerOptions options;
  StateOptions states;
  UrlOptions urls;
  CrawlScope scope;
  std::string id;  // in markers
  GroupMembership membership;
  // Of a step for messages. A stop is seen this much later.
  Duration wait = std::chrono::milliseconds(200);
};

// A core that has joined its group, for whoever steps it by himself: simulations and replays.
// Errors as Stepped::Step's; retry ones when bus or store are away. `parts` are copied; what they
// refer to, `clock` and `background` must outlive it.
absl::StatusOr<std::unique_ptr<StrategyCore>> StartStrategyCore(const StrategyWorkerParts& parts,
                                                                const Clock& clock,
                                                                BackgroundWrite& background);

// A worker that has joined its group and writes on a thread of its own. Each step calls
// `between_batches` where no event is left of the batch before. Errors and lifetimes as above.
absl::StatusOr<std::unique_ptr<Stepped>> NewStrategyWorker(
    const StrategyWorkerParts& parts, std::function<void()> between_batches = [] {});

}  // namespace orbweaver
