#include "common/bus/held_partitions.h"

#include "common/base/status.h"
#include "common/base/text.h"

namespace orbweaver {

void HeldPartitions::Drop(std::span<const PartitionId> partitions) {
  for (const PartitionId partition : partitions) held_.erase(partition);
}

HeldPartitions::Held* HeldPartitions::Find(PartitionId partition) {
  const auto found = held_.find(partition);
  return found == held_.end() ? nullptr : &found->second;
}

std::vector<PartitionId> HeldPartitions::ids() const {
  std::vector<PartitionId> ids;
  ids.reserve(held_.size());
  for (const auto& [partition, held] : held_) ids.push_back(partition);
  return ids;
}

absl::StatusOr<bool> HeldPartitions::SetPaused(std::string_view topic, PartitionId partition,
                                               bool paused) {
  Held* const held = Find(partition);
  if (held == nullptr) {
    return FencedError("pause topic '{}' partition {}: it is not this consumer's", topic,
                       partition);
  }
  if (held->paused == paused) return false;
  held->paused = paused;
  return true;
}

absl::Status HeldPartitions::CheckPositions(std::string_view topic, BoundsOf bounds_of) {
  for (auto& [partition, held] : held_) {
    if (!held.is_read()) continue;
    const LogBounds bounds = bounds_of(partition);
    if (held.position >= bounds.start && held.position <= bounds.end) continue;
    held.stands_still = true;
    return absl::OutOfRangeError(ToAbsl(fmt::format(
        "poll topic '{}' partition {}: position {} is not in the log, which starts at {}", topic,
        partition, held.position, bounds.start)));
  }
  return absl::OkStatus();
}

std::vector<PartitionId> HeldPartitions::Resume(std::span<const OffsetCommit> commits,
                                                BoundsOf bounds_of) {
  std::vector<PartitionId> resumed;
  for (const OffsetCommit& commit : commits) {
    Held* const held = Find(commit.partition);
    if (held == nullptr || !held->stands_still) continue;
    const LogBounds bounds = bounds_of(commit.partition);
    if (commit.offset < bounds.start || commit.offset > bounds.end) continue;
    held->position = commit.offset;
    held->stands_still = false;
    resumed.push_back(commit.partition);
  }
  return resumed;
}

absl::StatusOr<bool> Rebalance(GroupSide& member, RebalanceListener& listener,
                               HeldPartitions* held) {
  bool called = false;
  if (const GroupSide::Standing standing = member.CheckStanding();
      standing != GroupSide::Standing::kMember) {
    const std::vector<PartitionId> lost = held->ids();
    held->Clear();
    if (!lost.empty()) {
      listener.OnLost(lost);
      called = true;
    }
    if (standing == GroupSide::Standing::kFenced) return called;
    member.Join();
  }
  if (const auto revoked = member.MeantForOthers(held->ids()); !revoked.empty()) {
    // Still held while the listener flushes and commits.
    listener.OnRevoked(revoked);
    held->Drop(revoked);
    member.Release(revoked);
    called = true;
  }
  ASSIGN_OR_RETURN(const std::vector<AssignedPartition> assigned, member.TakeMine(held->ids()));
  if (!assigned.empty()) {
    for (const AssignedPartition& mine : assigned) held->Take(mine.partition, mine.position);
    listener.OnAssigned(assigned);
    called = true;
  }
  return called;
}

void ReleaseAll(GroupSide& member, RebalanceListener& listener, HeldPartitions* held) {
  const std::vector<PartitionId> ids = held->ids();
  if (!ids.empty()) {
    member.CheckStanding() == GroupSide::Standing::kMember ? listener.OnRevoked(ids)
                                                           : listener.OnLost(ids);
  }
  held->Clear();
}

}  // namespace orbweaver
