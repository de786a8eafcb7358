// The partitions that a consumer holds, and how they come and go.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/ids.h"
#include "common/bus/consumer.h"
#include "common/bus/offset_reader.h"

namespace orbweaver {

// Place: one in each implementation of Consumer, which knows how a log is read. Pauses, cuts
// and commits are as consumer.h promises. Not thread-safe.
class HeldPartitions {
 public:
  struct Held {
    Offset position;  // of the next message to read
    bool paused = false;
    // The log no longer has its position; a commit resumes it.
    bool stands_still = false;

    bool is_read() const { return !paused && !stands_still; }
  };
  // Of a partition that is held.
  using BoundsOf = absl::FunctionRef<LogBounds(PartitionId)>;

  // In place of what was held of that partition.
  void Take(PartitionId partition, Offset position) { held_[partition] = {.position = position}; }
  void Drop(std::span<const PartitionId> partitions);
  void Clear() { held_.clear(); }

  bool empty() const { return held_.empty(); }
  bool Has(PartitionId partition) const { return held_.contains(partition); }
  // nullptr: not held. Valid until it is dropped.
  Held* Find(PartitionId partition);
  const Held* Find(PartitionId partition) const {
    return const_cast<HeldPartitions*>(this)->Find(partition);
  }
  // Ascending.
  std::vector<PartitionId> ids() const;
  auto begin() { return held_.begin(); }
  auto end() { return held_.end(); }
  auto begin() const { return held_.begin(); }
  auto end() const { return held_.end(); }

  // Whether that changed anything. FencedError when it is not held.
  absl::StatusOr<bool> SetPaused(std::string_view topic, PartitionId partition, bool paused);

  // The first that is read and whose position its log no longer has: it stands still from now on,
  // and OutOfRange says so once.
  absl::Status CheckPositions(std::string_view topic, BoundsOf bounds_of);

  // After a commit that was kept: what stands still goes on at the offset that was committed, where
  // the log has it. Those that do, ascending.
  std::vector<PartitionId> Resume(std::span<const OffsetCommit> commits, BoundsOf bounds_of);

 private:
  std::map<PartitionId, Held> held_;
};

// A member's side of a group whose partitions are given and taken one by one. Not thread-safe; what
// it calls may be.
class GroupSide {
 public:
  enum class Standing { kMember, kGone, kFenced };

  virtual ~GroupSide() = default;

  virtual Standing CheckStanding() = 0;
  // Again, after it was gone, or for the first time.
  virtual void Join() = 0;
  // Of those held, what is to be given up.
  virtual std::vector<PartitionId> MeantForOthers(std::span<const PartitionId> held) = 0;
  virtual void Release(std::span<const PartitionId> partitions) = 0;
  // The partitions that are this member's now beyond those held (ascending), and where each begins.
  virtual absl::StatusOr<std::vector<AssignedPartition>> TakeMine(
      std::span<const PartitionId> held) = 0;
};

// One round: partitions of a member that is gone are lost, those meant for others are given up, new
// ones are taken, and `listener` hears of each. A member that is fenced loses all and takes
// nothing. True when the listener was called. Errors are TakeMine's.
absl::StatusOr<bool> Rebalance(GroupSide& member, RebalanceListener& listener,
                               HeldPartitions* held);

// As the last round: the held partitions are revoked, or lost when the member is no longer one.
void ReleaseAll(GroupSide& member, RebalanceListener& listener, HeldPartitions* held);

}  // namespace orbweaver
