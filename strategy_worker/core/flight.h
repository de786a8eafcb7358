// A batch on its way out: the crash protocol of the strategy worker, step by step.
//
//   put the rows → append their outboxes → all acked → still the owner? → dead letters durable,
//   commit
//
// Each step needs those before it: a row's outbox is sent again by whoever loads it, so it is in
// the row before it is in the log; nothing is committed that could still be lost; and a commit by a
// worker that was deposed would say that its puts count, which they may not.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/bus/consumer.h"
#include "common/protocol/owned_log.h"
#include "common/store/store.h"
#include "common/worker/log_session.h"
#include "common/worker/step_sequence.h"
#include "strategy_worker/core/background_write.h"
#include "strategy_worker/core/batch.h"
#include "strategy_worker/core/core_metrics.h"
#include "strategy_worker/core/kept_entries.h"
#include "strategy_worker/core/options.h"
#include "strategy_worker/core/ownership.h"
#include "strategy_worker/states/state_store.h"

namespace orbweaver {

// Place: inside StrategyCore; one batch at a time. Not thread-safe.
class Flight {
 public:
  struct Parts {
    const StrategyWorkerOptions& options;
    const Clock& clock;
    Store& store;
    StateStore& states;
    KeptEntries& kept_entries;
    OwnedLog& log;
    LogSession& spider_log;
    BackgroundWrite& background;
    CoreMetrics& metrics;
  };

  // The parts must outlive it.
  explicit Flight(const Parts& parts) : parts_(parts) {}
  // Waits for a write that is under way: its bytes are the states'.
  ~Flight();

  bool IsUnderWay() const { return steps_.busy(); }

  // Encodes the puts of all that was applied since the last flight, takes the outboxes out of the
  // records, and starts the write. The domains of `batch` are loaded.
  void Begin(Ownership* ownership, Batch* batch);

  // Goes on to the end. Blocks. On a retry error the next call goes on where this one stood, with
  // the same puts under the same versions. FencedError and what else is not retry: this worker has
  // to begin anew, without committing.
  absl::Status Finish();

 private:
  using Steps = StepSequence<Flight>;

  struct Outgoing {
    PartitionId partition;
    std::string domain;
    std::vector<std::string> entries;
  };

  static std::span<const Steps::Step> FlightSteps();
  absl::StatusOr<bool> AwaitWrite();
  absl::StatusOr<bool> Append();
  absl::StatusOr<bool> CheckOwner();
  absl::StatusOr<bool> Commit();

  void StartWrite();
  // On the background's thread. Puts what remains of failed_, of first_, and then of second_.
  absl::Status WriteRemaining();
  absl::Status WriteList(Table table, std::vector<RowPut>* puts);
  void EraseGarbage();

  const Parts parts_;

  Steps steps_{FlightSteps()};
  bool is_writing_ = false;  // in the background
  std::vector<RowPut> failed_;
  std::vector<RowPut> first_;
  std::vector<RowPut> second_;
  std::vector<uint32_t> remaining_;
  std::vector<Outgoing> outgoing_;
  size_t next_outgoing_ = 0;
  size_t next_entry_ = 0;
  std::vector<PartitionId> partitions_;
  std::vector<OffsetCommit> commits_;
  int since_erase_ = 0;
};

}  // namespace orbweaver
