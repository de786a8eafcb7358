// Drains the scoring log into the queue.
//
// Place: in DbWorkerCore, between Consumer::Poll and dequeue. For each batch: every touched domain
// is changed by one put of its head and new chunks; then it checks that it is still the owner, and
// commits. The watermark of a domain's row says which messages the row has applied already. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/bus/message.h"
#include "common/model/arena.h"
#include "common/model/scoring_log.h"
#include "common/worker/step_sequence.h"
#include "db_worker/enqueue/domain_actions.h"
#include "db_worker/parts.h"
#include "db_worker/queue/domain_edit.h"
#include "db_worker/queue/pending_puts.h"

namespace orbweaver {

class Enqueuer {
 public:
  // `parts` must outlive it.
  explicit Enqueuer(const WorkerParts& parts) : parts_(parts) {}

  // Takes a batch over; its messages are of partitions that are owned. Advance does the rest.
  void Begin(MessageBatch batch);

  // Works until the batch is committed, or the group is due: then it is still busy. Goes on where
  // it stood when called again, also after a retry error; other work on the partitions has to wait
  // until then. Fenced: the worker has lost a partition, and begins anew.
  absl::Status Advance();

  bool busy() const { return steps_.busy(); }
  std::string_view step() const { return steps_.name(); }
  bool IsWorkingOn(PartitionId partition) const { return busy() && ends_.contains(partition); }

 private:
  using Steps = StepSequence<Enqueuer>;
  // The result of applying one message: it was applied or passed over, or its domain has to be
  // searched first and it is to be applied again.
  enum class Outcome { kDone, kSearchFirst };

  static std::span<const Steps::Step> BatchSteps();
  absl::StatusOr<bool> Load();
  // Until all messages are applied, or the group is due.
  absl::StatusOr<bool> Apply();
  // Until all is marked, or the group is due.
  absl::StatusOr<bool> Mark();
  absl::StatusOr<bool> Write();
  absl::StatusOr<bool> CheckOwner();
  absl::StatusOr<bool> Commit();
  absl::StatusOr<Outcome> ApplyMessage(const Message& message);
  absl::StatusOr<Outcome> ApplySchedule(Partition& partition, const ScheduleRequests& schedule);
  absl::Status Decode(const Message& message, ScoringLogEntry* entry);
  absl::Status Bury(const Message& message, const absl::Status& cause);
  // Of the rest of the batch, from the message that is applied now.
  WaitingSearch::Sought SoughtIn(std::string_view domain);
  void FinishEdits();
  // The place in edits_ of the domain's edit: begun when there is none.
  size_t EditOf(Partition& partition, DomainId domain);

  const WorkerParts& parts_;

  Steps steps_{BatchSteps()};
  MessageBatch batch_;
  size_t next_message_ = 0;
  // Partitions of the batch, and the offset after each one's last message.
  std::map<PartitionId, Offset> ends_;
  std::vector<DomainEdit> edits_;
  size_t edit_count_ = 0;  // the first of edits_; the others are kept for their memory
  absl::flat_hash_map<std::pair<int32_t, DomainId>, size_t> edit_of_;
  // Of domains with RAISE or DELETE; by the place of their edit in edits_.
  std::map<size_t, DomainActions> actions_;
  DomainActions* searching_ = nullptr;  // until it has found its URLs
  PendingPuts puts_;
  Arena arena_;
};

}  // namespace orbweaver
