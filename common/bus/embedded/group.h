// A consumer group on one topic: shares the topic's partitions out among the consumers of this
// process, and keeps what they commit in the folder.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

#include "common/bus/consumer_group.h"
#include "common/bus/embedded/message_log.h"
#include "common/bus/held_partitions.h"
#include "common/store/rocksdb/database.h"

namespace orbweaver {

// The position that `group` has committed for a partition; nullopt where it has committed none.
// Durable.
absl::StatusOr<std::optional<CommittedOffset>> ReadCommitted(const Database& database,
                                                             std::string_view group,
                                                             const LogPartition& partition);

// Thread-safe. A partition never has two owners: whoever is to have it waits in Poll until the
// earlier owner has released it or is taken for dead.
class Group {
 public:
  using MemberId = ConsumerGroup::MemberId;

  Group(std::string name, const LogTopic& topic, Database& database);

  MemberId Join(std::string_view member_name, SteadyTime alive_until) ABSL_LOCKS_EXCLUDED(mutex_);
  void Leave(MemberId member) ABSL_LOCKS_EXCLUDED(mutex_);

  using Standing = GroupSide::Standing;
  struct MemberState {
    Standing standing;
    uint64_t generation;  // grows whenever partitions or members change
  };
  // Removes members that were silent for too long, perhaps this one, and returns this one's state.
  MemberState KeepAlive(MemberId member, SteadyTime now, SteadyTime alive_until)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // When some member will have been silent for too long, if ever.
  std::optional<SteadyTime> NextExpiry() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Of the partitions held, those that are to be another's.
  std::vector<PartitionId> MeantForOthers(MemberId member, std::span<const PartitionId> held) const
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Release(MemberId member, std::span<const PartitionId> partitions)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Makes the member the owner of what is meant for it and free; those that are not in `held`
  // (ascending) begin where the group's commits say.
  absl::StatusOr<std::vector<AssignedPartition>> TakeMine(MemberId member,
                                                          std::span<const PartitionId> held)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Durable when OK. Without a member: for a consumer outside the group's sharing. FencedError as
  // Consumer::Commit says; ownership cannot pass on between the check and the write.
  absl::Status Commit(std::optional<MemberId> member, std::span<const OffsetCommit> commits,
                      Duration timeout) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Changed() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckAndCommit(std::optional<MemberId> member, std::span<const OffsetCommit> commits)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status CheckCommit(std::optional<MemberId> member, const OffsetCommit& commit) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string name_;
  const LogTopic& topic_;
  Database& database_;

  mutable absl::Mutex mutex_;
  ConsumerGroup sharing_ ABSL_GUARDED_BY(mutex_);
  uint64_t generation_ ABSL_GUARDED_BY(mutex_) = 1;
};

// The groups of a process. Thread-safe.
class Groups {
 public:
  explicit Groups(Database& database) : database_(database) {}

  // Made when it is the first time; valid as long as this.
  Group& Find(std::string_view name, const LogTopic& topic) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  Database& database_;

  absl::Mutex mutex_;
  std::map<std::pair<std::string, uint32_t>, std::unique_ptr<Group>> groups_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace orbweaver
