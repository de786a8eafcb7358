// The strategy worker's core on logs and tables in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/bus/memory/memory_broker.h"
#include "common/bus/memory/memory_bus.h"
#include "common/metrics/metric_registry.h"
#include "common/scope/crawl_scope.h"
#include "common/store/memory/memory_store.h"
#include "common/store/memory/memory_tables.h"
#include "common/url/domain.h"
#include "common/url/options.h"
#include "strategy_worker/core/background_write.h"
#include "strategy_worker/core/options.h"
#include "strategy_worker/core/strategy_core.h"
#include "strategy_worker/host/strategy.h"
#include "strategy_worker/states/state_metrics.h"
#include "strategy_worker/states/state_options.h"

namespace orbweaver::lab {

struct ReplaySetup {
  // Both must outlive the worker.
  Strategy& strategy;
  const PublicSuffixes& suffixes;
  int partitions = 1;
  StrategyWorkerOptions options;
  StateOptions states;
  UrlOptions urls;
  CrawlScope scope;
};

// Place: one a replay, on one thread. Its clock stands where the last event was written.
class ReplayWorker {
 public:
  static absl::StatusOr<std::unique_ptr<ReplayWorker>> Create(const ReplaySetup& setup);
  ReplayWorker(const ReplayWorker&) = delete;
  ReplayWorker& operator=(const ReplayWorker&) = delete;

  // Decides on the next events of the spider log. Those of a partition come with offsets 0, 1, 2, …
  // from call to call; fatal otherwise. Their bytes are not copied, and need to stay for the call.
  absl::Status Decide(std::span<const Message> events);

  // Visits the records of the scoring log that are new since the last call, those of a partition in
  // their order, and drops them.
  absl::Status TakeScoringLog(
      absl::FunctionRef<absl::Status(PartitionId, Offset, std::string_view value)> visit);

  // The states of URLs and domains, as after the last Decide.
  Store& store() { return store_; }
  uint64_t dead_letters();
  int partitions() const { return static_cast<int>(ends_.size()); }

 private:
  explicit ReplayWorker(int partitions) : ends_(partitions), taken_(partitions) {}
  absl::Status Start(const ReplaySetup& setup);
  absl::Status Append(std::span<const Message> events);
  // All but the last `kept` records of each partition.
  absl::Status CutLogs(std::string_view topic, int64_t kept);

  ManualClock clock_{WallTime()};
  MemoryBroker broker_{&clock_};
  MemoryBus bus_{&broker_, {}};
  MemoryTables tables_;
  MemoryStore store_{&tables_, {.virtual_time = &clock_}};
  MetricRegistry metrics_;
  StateMetrics state_metrics_{metrics_};
  DirectWrite write_;
  std::vector<Offset> ends_;   // of the spider log's partitions
  std::vector<Offset> taken_;  // of the scoring log's: what was visited
  std::unique_ptr<StrategyCore> core_;
};

}  // namespace orbweaver::lab
