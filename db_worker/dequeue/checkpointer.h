// Brings into the store what was sent: heads, then the checkpoint; then erases what is not needed
// any more.
//
// Place: in DbWorkerCore, every few seconds for each partition, at the end of a take-over, and
// before a partition is given away. Not after each batch, since a domain that is in several
// batches needs one put only: whoever takes over reads the rest from the feed. Not thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/worker/step_sequence.h"
#include "db_worker/parts.h"
#include "db_worker/queue/pending_puts.h"

namespace orbweaver {

class Checkpointer {
 public:
  // `parts` must outlive it.
  explicit Checkpointer(const WorkerParts& parts) : parts_(parts) {}

  // Of a partition all of whose sent requests are acked. Only while not busy.
  void Begin(Partition& partition);

  // As the others': busy still when the group is due; after a retry error it goes on; fenced: begin
  // anew.
  absl::Status Advance();

  bool IsWorkingOn(PartitionId partition) const { return busy() && partition_->id == partition; }

  bool busy() const { return steps_.busy(); }
  std::string_view step() const { return steps_.name(); }

 private:
  using Steps = StepSequence<Checkpointer>;

  static std::span<const Steps::Step> CheckpointSteps();
  absl::StatusOr<bool> PutHeads();
  absl::StatusOr<bool> CheckOwner();
  absl::StatusOr<bool> PutCheckpoint();
  // Until there is nothing left that is worth it, or the group is due.
  absl::StatusOr<bool> Erase();
  // The next portion into garbage_.
  void CollectGarbage();
  void CollectGarbage(DomainId id, size_t most);

  const WorkerParts& parts_;

  Steps steps_{CheckpointSteps()};
  Partition* partition_ = nullptr;
  Offset offset_;
  Version version_;
  PendingPuts puts_;
  // Of one domain; as much as is erased in one call.
  struct Garbage {
    DomainId domain;
    std::string row;
    std::vector<std::string> columns;
    Head left;  // the head without them
  };
  std::vector<Garbage> garbage_;
  size_t erased_ = 0;  // chunks, by this checkpoint
};

}  // namespace orbweaver
