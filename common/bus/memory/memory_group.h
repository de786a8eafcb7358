// A consumer group on one topic: who is in it, whose each partition is, what was committed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/base/random.h"
#include "common/bus/consumer.h"
#include "common/bus/offset_reader.h"

namespace orbweaver {

// Members take and release partitions one by one, so a partition has never two owners: it is
// *meant* for a member as soon as the group is shared out anew, and *owned* by it once the earlier
// owner has released it or is gone.
//
// Place: inside MemoryBroker, whose lock guards it.
class MemoryGroup {
 public:
  using MemberId = uint64_t;  // never used again, unlike a member's name

  explicit MemoryGroup(int partitions) : partitions_(static_cast<size_t>(partitions)) {}

  // A member that bears the name of another takes over what is its, and the other is fenced.
  MemberId Join(std::string_view name, SteadyTime alive_until);
  // Nothing when it is not a member.
  void Leave(MemberId member);
  // Puts off the time when silence is taken for death. Nothing when it is not a member.
  void KeepAlive(MemberId member, SteadyTime alive_until);
  // Removes the members whose time is over.
  void Expire(SteadyTime now);

  bool IsMember(MemberId member) const { return members_.contains(member); }
  bool IsFenced(MemberId member) const { return fenced_.contains(member); }
  bool HasMembers() const { return !members_.empty(); }
  // When Expire has something to do next, if ever.
  std::optional<SteadyTime> NextExpiry() const;

  bool IsMeantFor(PartitionId partition, MemberId member) const;
  bool IsOwner(PartitionId partition, MemberId member) const;
  bool HasOwner(PartitionId partition) const {
    return partitions_[Index(partition)].owner.has_value();
  }
  // Makes `member` the owner of what is meant for it and not owned by another.
  std::vector<PartitionId> TakeMine(MemberId member);
  void Release(PartitionId partition, MemberId member);

  // Shares the partitions out anew: by ranges, members in the order of their names, as Kafka's
  // range assignor does.
  void ShareOut();
  // The same at random, as after some other member came or went.
  void ShareOutAtRandom(Random* random);

  int partition_count() const { return static_cast<int>(partitions_.size()); }
  const std::optional<CommittedOffset>& committed(PartitionId partition) const {
    return partitions_[Index(partition)].committed;
  }
  void Commit(const OffsetCommit& commit) {
    partitions_[Index(commit.partition)].committed = {commit.offset, commit.metadata};
  }

 private:
  struct Partition {
    std::optional<MemberId> meant_for;
    std::optional<MemberId> owner;
    std::optional<CommittedOffset> committed;
  };
  struct Member {
    std::string name;
    SteadyTime alive_until;
  };

  static size_t Index(PartitionId partition) { return static_cast<size_t>(partition.value()); }

  std::vector<Partition> partitions_;
  std::map<MemberId, Member> members_;
  std::set<MemberId> fenced_;
  MemberId next_member_ = 1;
};

}  // namespace orbweaver
