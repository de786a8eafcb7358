#include "common/bus/embedded/group.h"

#include <algorithm>
#include <utility>

#include "rocksdb/db.h"

#include "common/base/big_endian.h"
#include "common/base/status.h"
#include "common/bus/limits.h"

namespace orbweaver {
namespace {

// `group/` + topic + partition + the group's name, which may hold any byte and so comes last.
std::string CommitKey(std::string_view group, const LogPartition& partition) {
  std::string key("group/");
  AppendBigEndian(partition.topic_id, &key);
  AppendBigEndian(static_cast<uint32_t>(partition.id.value()), &key);
  key.append(group);
  return key;
}

}  // namespace

absl::StatusOr<std::optional<CommittedOffset>> ReadCommitted(const Database& database,
                                                             std::string_view group,
                                                             const LogPartition& partition) {
  std::string stored;
  const rocksdb::Status read =
      database.db().Get({}, database.meta(), CommitKey(group, partition), &stored);
  if (read.IsNotFound()) return std::nullopt;
  RETURN_IF_ERROR(database.ToStatus(read, "read committed offsets of"));
  if (stored.size() < 8) {
    return FatalError("read {}: the committed offset of group '{}' is corrupt",
                      database.folder().string(), group);
  }
  const Offset offset(static_cast<int64_t>(LoadBigEndian<uint64_t>(stored.data())));
  return CommittedOffset{offset, stored.substr(8)};
}

Group::Group(std::string name, const LogTopic& topic, Database& database)
    : name_(std::move(name)), topic_(topic), database_(database), sharing_(topic.spec.partitions) {}

void Group::Changed() {
  ++generation_;
  topic_.changed.Raise();
}

Group::MemberId Group::Join(std::string_view member_name, SteadyTime alive_until) {
  absl::MutexLock lock(&mutex_);
  const MemberId member = sharing_.Join(member_name, alive_until);
  Changed();
  return member;
}

void Group::Leave(MemberId member) {
  absl::MutexLock lock(&mutex_);
  sharing_.Leave(member);
  Changed();
}

Group::MemberState Group::KeepAlive(MemberId member, SteadyTime now, SteadyTime alive_until) {
  absl::MutexLock lock(&mutex_);
  if (const auto expiry = sharing_.NextExpiry(); expiry.has_value() && *expiry <= now) {
    sharing_.Expire(now);
    Changed();
  }
  sharing_.KeepAlive(member, alive_until);
  if (sharing_.IsMember(member)) return {Standing::kMember, generation_};
  return {sharing_.IsFenced(member) ? Standing::kFenced : Standing::kGone, generation_};
}

std::optional<SteadyTime> Group::NextExpiry() const {
  absl::MutexLock lock(&mutex_);
  return sharing_.NextExpiry();
}

std::vector<PartitionId> Group::MeantForOthers(MemberId member,
                                               std::span<const PartitionId> held) const {
  std::vector<PartitionId> others;
  absl::MutexLock lock(&mutex_);
  for (const PartitionId partition : held) {
    if (!sharing_.IsMeantFor(partition, member)) others.push_back(partition);
  }
  return others;
}

void Group::Release(MemberId member, std::span<const PartitionId> partitions) {
  absl::MutexLock lock(&mutex_);
  for (const PartitionId partition : partitions) sharing_.Release(partition, member);
  Changed();
}

absl::StatusOr<std::vector<AssignedPartition>> Group::TakeMine(MemberId member,
                                                               std::span<const PartitionId> held) {
  std::vector<AssignedPartition> mine;
  absl::MutexLock lock(&mutex_);
  for (const PartitionId id : sharing_.TakeMine(member)) {
    if (std::binary_search(held.begin(), held.end(), id)) continue;
    const LogPartition& partition = *topic_.Find(id);
    ASSIGN_OR_RETURN(const auto committed, ReadCommitted(database_, name_, partition));
    if (committed.has_value()) {
      mine.push_back({id, committed->offset, committed->metadata, true});
    } else {
      mine.push_back({id, Offset(partition.start), "", false});
    }
  }
  return mine;
}

absl::Status Group::CheckCommit(std::optional<MemberId> member, const OffsetCommit& commit) const {
  RETURN_IF_ERROR(::orbweaver::CheckCommit(commit));
  if (topic_.Find(commit.partition) == nullptr) {
    return FatalError("commit topic '{}' partition {}: it has {} partitions", topic_.spec.name,
                      commit.partition, topic_.spec.partitions);
  }
  if (!member.has_value() && sharing_.HasMembers()) {
    return FencedError("commit topic '{}': group '{}' has subscribed members", topic_.spec.name,
                       name_);
  }
  if (member.has_value() && !sharing_.IsOwner(commit.partition, *member)) {
    return FencedError("commit topic '{}' partition {}: it is not this member's of group '{}'",
                       topic_.spec.name, commit.partition, name_);
  }
  return absl::OkStatus();
}

absl::Status Group::Commit(std::optional<MemberId> member, std::span<const OffsetCommit> commits,
                           Duration timeout) {
  return database_.WhenWritable(timeout, [&] { return CheckAndCommit(member, commits); });
}

absl::Status Group::CheckAndCommit(std::optional<MemberId> member,
                                   std::span<const OffsetCommit> commits) {
  rocksdb::WriteBatch batch;
  absl::MutexLock lock(&mutex_);
  for (const OffsetCommit& commit : commits) {
    RETURN_IF_ERROR(CheckCommit(member, commit));
    std::string stored;
    AppendBigEndian(static_cast<uint64_t>(commit.offset.value()), &stored);
    stored += commit.metadata;
    const rocksdb::Status put =
        batch.Put(database_.meta(), CommitKey(name_, *topic_.Find(commit.partition)), stored);
    RETURN_IF_ERROR(database_.ToStatus(put, "commit to"));
  }
  if (batch.Count() == 0) return absl::OkStatus();
  return database_.Write(&batch, "commit to");
}

Group& Groups::Find(std::string_view name, const LogTopic& topic) {
  absl::MutexLock lock(&mutex_);
  auto& group = groups_[{std::string(name), topic.id}];
  if (group == nullptr) {
    group = std::make_unique<Group>(std::string(name), topic, database_);
  }
  return *group;
}

}  // namespace orbweaver
