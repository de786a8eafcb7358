// The strategy worker: reads the spider log, asks the strategy, keeps link states, and writes the
// scoring log, so that nothing is lost and nothing scheduled twice by a crash (ARCHITECTURE.md,
// "What the guarantees rest on"; README.md here has the pass as a list).
#pragma once

#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/bus/consumer.h"
#include "common/metrics/metric_registry.h"
#include "common/protocol/owned_log.h"
#include "common/protocol/topic_record.h"
#include "common/scope/crawl_scope.h"
#include "common/store/store.h"
#include "common/url/domain.h"
#include "common/url/options.h"
#include "common/worker/log_session.h"
#include "strategy_worker/core/background_write.h"
#include "strategy_worker/core/batch.h"
#include "strategy_worker/core/core_metrics.h"
#include "strategy_worker/core/event_handler.h"
#include "strategy_worker/core/event_reader.h"
#include "strategy_worker/core/event_view.h"
#include "strategy_worker/core/flight.h"
#include "strategy_worker/core/lookup.h"
#include "strategy_worker/core/options.h"
#include "strategy_worker/core/ownership.h"
#include "strategy_worker/host/strategy.h"
#include "strategy_worker/states/state_store.h"

namespace orbweaver {

struct StrategyCoreParts {
  // Not joined yet.
  std::unique_ptr<LogSession> spider_log;
  std::unique_ptr<OwnedLog> scoring_log;
  std::unique_ptr<StateStore> states;  // empty
  // These outlive the core, and serve the next one.
  Store& store;
  Strategy& strategy;
  BackgroundWrite& background;
  const Clock& clock;
  const PublicSuffixes& suffixes;
  MetricRegistry& metrics;
  TopicRecord topics;  // as CheckTopics found them
  UrlOptions urls;
  CrawlScope scope = {};
  StrategyWorkerOptions options;
};

// With timeouts that keep a worker which waits for store or bus in its group.
StrategyWorkerOptions WithinSession(StrategyWorkerOptions options, Duration session_timeout);

// The session over the spider log of a strategy worker with these options.
absl::StatusOr<std::unique_ptr<LogSession>> NewSpiderLogSession(
    Bus& bus, const Clock& clock, const GroupMembership& membership,
    const StrategyWorkerOptions& options);

// Place: stepped by the worker's main, by `orbweaver crawl`, by simulations and replays. Single-
// threaded: without threads or clocks of its own. After an error that is not retry (it was fenced,
// a record was lost, …) it has committed nothing of what was in hand and is of no use any more: its
// host destroys it and, where IsFenced says so or the cause is gone, builds another one, which
// takes its partitions over as if the process had been killed and started again.
class StrategyCore : private RebalanceListener {
 public:
  explicit StrategyCore(StrategyCoreParts parts);
  ~StrategyCore() override;
  StrategyCore(const StrategyCore&) = delete;
  StrategyCore& operator=(const StrategyCore&) = delete;

  // Joins the group. Once, before the first Step.
  absl::Status Start();

  // Reads a batch while the one before is being written, brings that one to its commit, and applies
  // the new one. Waits at most `wait` for events when there is nothing else to do. False: there
  // was nothing to do. Blocks for a few calls to store and bus (options: their timeouts). On a
  // retry error the next Step goes on where this one stood; the caller waits a little before.
  // Meanwhile nothing is read, and the worker stays in its group.
  absl::StatusOr<bool> Step(Duration wait);

  // Brings what was applied to its commit and leaves the group. On an error the rest is left to the
  // next owner, as after a crash.
  absl::Status Stop();

  // Every event that was read is applied.
  bool IsBetweenBatches() const { return batch_.empty(); }
  // Nothing is applied and not committed.
  bool IsSettled() const { return !flight_.IsUnderWay() && !is_applying_ && batch_.empty(); }

 private:
  void OnAssigned(std::span<const AssignedPartition> partitions) override;
  void OnRevoked(std::span<const PartitionId> partitions) override;
  void OnLost(std::span<const PartitionId> partitions) override;

  absl::StatusOr<bool> TryStep(Duration wait);
  absl::Status Prepare();
  // A row is read in several steps, and to a worker that was replaced meanwhile it may look damaged
  // though its successor only writes to it: that one begins anew, where an owner gives up.
  absl::Status AsOwner(const absl::Status& looked_up);

  absl::Status Read(Duration wait);
  void SetLag();
  absl::Status ReadPoll(const MessageBatch& poll);
  absl::Status GoOnBehindCuts();
  absl::Status Apply();
  absl::Status Bury(const SourceEvent& event);
  void Forget(std::span<const PartitionId> partitions);
  void Fail(const absl::Status& status);

  StrategyCoreParts parts_;
  const StrategyWorkerOptions options_;
  CoreMetrics metrics_;
  StageClock stage_{metrics_.stage, parts_.clock};
  Ownership ownership_;
  EventReader reader_;
  EventView view_;
  Lookup lookup_;
  KeptEntries kept_entries_;
  EventHandler handler_;
  Flight flight_;

  Batch batch_;
  absl::Status failure_;       // for ever
  bool is_stalled_ = false;    // the last step ended with a retry error
  bool is_looked_up_ = false;  // the batch
  bool is_applying_ = false;   // some of the batch was applied and is in no flight yet
  size_t written_ = 0;         // bytes of outboxes that the batch has led to
};

}  // namespace orbweaver
