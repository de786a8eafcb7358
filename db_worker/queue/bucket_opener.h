// Moves delayed requests on when their bucket opens: into the ready bands when they are due, else
// into buckets of lower levels.
//
// Place: in DbWorkerCore, before each look at the feed. One put for each domain; a large bucket
// takes several. Not thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/model/arena.h"
#include "common/worker/step_sequence.h"
#include "db_worker/parts.h"
#include "db_worker/queue/domain_edit.h"
#include "db_worker/queue/pending_puts.h"

namespace orbweaver {

class BucketOpener {
 public:
  // `parts` must outlive it.
  explicit BucketOpener(const WorkerParts& parts) : parts_(parts) {}

  // Takes domains of `partition` whose bucket has opened, a bounded number. False when there are
  // none. Only while not busy.
  bool Begin(Partition& partition);

  // Until what was taken is in the store, or the group is due: then it is still busy. Goes on when
  // called again, also after a retry error.
  absl::Status Advance();

  bool IsWorkingOn(PartitionId partition) const { return busy() && partition_->id == partition; }

  bool busy() const { return steps_.busy(); }
  std::string_view step() const { return steps_.name(); }

 private:
  using Steps = StepSequence<BucketOpener>;
  // Chunks of one bucket of a domain.
  struct Opened {
    DomainId domain;
    std::string row;
    DelayedBucket bucket;
    uint32_t end;  // chunks [bucket.first, end) are moved now
    std::vector<std::string> columns;
  };

  static std::span<const Steps::Step> OpenSteps();
  absl::StatusOr<bool> ReadAndMove();
  absl::StatusOr<bool> Write();
  void Move(const Opened& opened, const Rows& rows, size_t row, Version version);
  void MoveChunk(DomainEdit& edit, const Chunk& chunk, WallTime now, uint64_t* moved);

  const WorkerParts& parts_;

  Steps steps_{OpenSteps()};
  Partition* partition_ = nullptr;
  std::vector<Opened> opened_;
  DomainEdit edit_;
  PendingPuts puts_;
  Arena arena_;
};

}  // namespace orbweaver
