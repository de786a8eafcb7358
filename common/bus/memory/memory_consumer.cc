#include "common/bus/memory/memory_consumer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/bus/limits.h"

namespace orbweaver {
namespace {

// Keeps the records of a batch alive; their bytes are never copied.
class SharedRecords : public MessageBatch::Memory {
 public:
  std::vector<std::shared_ptr<const StoredRecord>> records;
};

}  // namespace

MemoryConsumer::~MemoryConsumer() {
  // A dead process says no goodbye: its group finds out by its silence.
  if (closed_ || !IsSubscribed() || client_.dead() || !options_.member.empty()) return;
  absl::MutexLock lock(&client_.broker.mutex);
  Group().Leave(member_);
  client_.broker.Changed();
}

absl::Status MemoryConsumer::Subscribe(std::string_view topic, RebalanceListener* listener) {
  CHECK(!IsSubscribed() && held_.empty());
  RETURN_IF_ERROR(client_.CheckAlive("subscribe"));
  absl::MutexLock lock(&client_.broker.mutex);
  RETURN_IF_ERROR(client_.broker.Group(options_.group, topic).status());
  topic_ = topic;
  listener_ = listener;
  return absl::OkStatus();
}

absl::Status MemoryConsumer::Assign(std::string_view topic,
                                    std::span<const AssignedPartition> from) {
  CHECK(!IsSubscribed());
  RETURN_IF_ERROR(client_.CheckAlive("assign"));
  absl::MutexLock lock(&client_.broker.mutex);
  for (const AssignedPartition& assigned : from) {
    RETURN_IF_ERROR(client_.broker.log().Find(topic, assigned.partition).status());
  }
  topic_ = topic;
  held_.clear();
  for (const AssignedPartition& assigned : from) {
    held_[assigned.partition] = {.position = assigned.position};
  }
  return absl::OkStatus();
}

absl::Status MemoryConsumer::Poll(const PollLimits& limits, Duration timeout, MessageBatch* batch) {
  batch->Clear();
  if (closed_ || topic_.empty()) return FatalError("poll: the consumer reads no topic");
  RETURN_IF_ERROR(client_.CheckAlive("poll"));
  client_.Reach("before poll");
  RETURN_IF_ERROR(AwaitWork(timeout));
  if (IsSubscribed()) {
    // Not ||: what was taken away and what was given instead are told by one Poll.
    bool rebalanced = LoseWhatIsGone();
    rebalanced |= GiveUpWhatIsNotMine();
    rebalanced |= TakeWhatIsMine();
    if (rebalanced) return absl::OkStatus();
  }
  RETURN_IF_ERROR(CheckPositions());
  Fetch(limits, batch);
  client_.Reach("after poll");
  return absl::OkStatus();
}

absl::Status MemoryConsumer::AwaitWork(Duration timeout) {
  absl::MutexLock lock(&client_.broker.mutex);
  const SteadyTime now = client_.broker.Tick();
  const SteadyTime deadline = now + timeout;
  if (client_.random().Chance(client_.faults().unavailable)) {
    return RetryError("poll topic '{}': the broker is not available", topic_);
  }
  if (IsSubscribed()) {
    ConsumerGroup& group = Group();
    // Waiting here is no silence.
    group.KeepAlive(member_, deadline + options_.session_timeout);
    DrawRebalance(group);
  }
  client_.broker.Await(deadline, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(client_.broker.mutex) {
    if (!client_.broker.available()) return false;
    return (IsSubscribed() && NeedsRebalance(Group())) || HasMessages();
  });
  if (!client_.broker.available()) {
    return RetryError("poll topic '{}': the broker is not available", topic_);
  }
  if (IsSubscribed()) {
    ConsumerGroup& group = Group();
    group.KeepAlive(member_, client_.broker.Tick() + options_.session_timeout);
    if (group.IsFenced(member_) && held_.empty()) {
      return FencedError("poll topic '{}': a later member is named '{}' too", topic_,
                         options_.member);
    }
  }
  return absl::OkStatus();
}

void MemoryConsumer::DrawRebalance(ConsumerGroup& group) {
  if (!group.IsMember(member_)) return;
  const BusFaults& faults = client_.faults();
  if (client_.random().Chance(faults.eviction)) {
    group.Leave(member_);
  } else if (client_.random().Chance(faults.rebalance)) {
    group.ShareOutAtRandom(&client_.random());
    revokes_all_ = true;
  }
}

bool MemoryConsumer::NeedsRebalance(const ConsumerGroup& group) const {
  if (!group.IsMember(member_) || revokes_all_) return true;
  for (int32_t i = 0; i < group.partition_count(); ++i) {
    const PartitionId partition(i);
    const bool may_have = group.IsMeantFor(partition, member_) &&
                          (group.IsOwner(partition, member_) || !group.HasOwner(partition));
    if (may_have != held_.contains(partition)) return true;
  }
  return false;
}

bool MemoryConsumer::HasMessages() {
  return std::any_of(held_.begin(), held_.end(),
                     [this](const auto& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(client_.broker.mutex) {
                       const Held& held = entry.second;
                       return !held.paused && !held.stands_still &&
                              held.position != LogOf(entry.first).bounds().end;
                     });
}

ConsumerGroup& MemoryConsumer::Group() {
  auto group = client_.broker.Group(options_.group, topic_);
  CHECK(group.ok());
  return **group;
}

PartitionLog& MemoryConsumer::LogOf(PartitionId partition) {
  auto log = client_.broker.log().Find(topic_, partition);
  CHECK(log.ok());
  return **log;
}

std::vector<PartitionId> MemoryConsumer::AllHeld() const {
  std::vector<PartitionId> partitions;
  for (const auto& [partition, held] : held_) partitions.push_back(partition);
  return partitions;
}

bool MemoryConsumer::LoseWhatIsGone() {
  {
    absl::MutexLock lock(&client_.broker.mutex);
    ConsumerGroup& group = Group();
    if (group.IsMember(member_)) return false;
    if (!group.IsFenced(member_)) {
      member_ = group.Join(options_.member, client_.broker.Tick() + options_.session_timeout);
      client_.broker.Changed();
    }
  }
  revokes_all_ = false;
  const std::vector<PartitionId> lost = AllHeld();
  held_.clear();
  if (!lost.empty()) listener_->OnLost(lost);
  return true;
}

bool MemoryConsumer::GiveUpWhatIsNotMine() {
  std::vector<PartitionId> revoked;
  {
    absl::MutexLock lock(&client_.broker.mutex);
    for (const auto& [partition, held] : held_) {
      if (revokes_all_ || !Group().IsMeantFor(partition, member_)) revoked.push_back(partition);
    }
  }
  revokes_all_ = false;
  if (revoked.empty()) return false;
  listener_->OnRevoked(revoked);
  absl::MutexLock lock(&client_.broker.mutex);
  for (const PartitionId partition : revoked) {
    held_.erase(partition);
    Group().Release(partition, member_);
  }
  client_.broker.Changed();
  return true;
}

bool MemoryConsumer::TakeWhatIsMine() {
  std::vector<AssignedPartition> assigned;
  {
    absl::MutexLock lock(&client_.broker.mutex);
    ConsumerGroup& group = Group();
    for (const PartitionId partition : group.TakeMine(member_)) {
      if (held_.contains(partition)) continue;
      const auto& committed = group.committed(partition);
      const Offset position =
          committed.has_value() ? committed->offset : LogOf(partition).bounds().start;
      held_[partition] = {.position = position};
      assigned.push_back({partition, position, committed.has_value() ? committed->metadata : "",
                          committed.has_value()});
    }
  }
  if (assigned.empty()) return false;
  listener_->OnAssigned(assigned);
  return true;
}

absl::Status MemoryConsumer::CheckPositions() {
  absl::MutexLock lock(&client_.broker.mutex);
  for (auto& [partition, held] : held_) {
    const LogBounds bounds = LogOf(partition).bounds();
    if (held.stands_still || held.paused) continue;
    if (held.position >= bounds.start && held.position <= bounds.end) continue;
    held.stands_still = true;
    return absl::OutOfRangeError(ToAbsl(fmt::format(
        "poll topic '{}' partition {}: position {} is not in the log, which starts at {}", topic_,
        partition, held.position, bounds.start)));
  }
  return absl::OkStatus();
}

std::vector<PartitionId> MemoryConsumer::FetchOrder() {
  std::vector<PartitionId> order = AllHeld();
  if (order.empty()) return order;
  if (!client_.faults().mix_partitions) {
    std::rotate(order.begin(), order.begin() + static_cast<ptrdiff_t>(next_first_++ % order.size()),
                order.end());
    return order;
  }
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[client_.random().Below(i)]);
  }
  return order;
}

void MemoryConsumer::Fetch(const PollLimits& limits, MessageBatch* batch) {
  auto memory = std::make_unique<SharedRecords>();
  std::vector<Message> messages = batch->TakeMessages();
  size_t bytes = 0;
  absl::MutexLock lock(&client_.broker.mutex);
  for (const PartitionId partition : FetchOrder()) {
    Held& held = held_[partition];
    if (held.paused || held.stands_still) continue;
    if (held.late_polls > 0) {
      --held.late_polls;
      continue;
    }
    PartitionLog& log = LogOf(partition);
    Offset stop = log.bounds().end;
    if (held.position >= stop) continue;
    if (client_.faults().mix_partitions) {
      // Something of the first partition, so that a Poll does not end empty.
      const uint64_t share = client_.random().Below(static_cast<uint64_t>(stop - held.position));
      stop = held.position + static_cast<int64_t>(share) + (messages.empty() ? 1 : 0);
    }
    for (; held.position < stop; ++held.position) {
      const auto& record = log.At(held.position);
      if (messages.size() >= std::max<size_t>(limits.max_messages, 1)) break;
      if (!messages.empty() && bytes + record->bytes() > limits.max_bytes) break;
      bytes += record->bytes();
      messages.push_back(
          {partition, held.position, record->time, record->key, record->value, record->headers});
      memory->records.push_back(record);
    }
  }
  batch->Set(std::move(messages), std::move(memory));
}

absl::Status MemoryConsumer::SetPaused(PartitionId partition, bool paused) {
  const auto found = held_.find(partition);
  if (found == held_.end()) {
    return FencedError("pause topic '{}' partition {}: it is not this consumer's", topic_,
                       partition);
  }
  Held& held = found->second;
  if (held.paused && !paused) {
    absl::MutexLock lock(&client_.broker.mutex);
    held.late_polls =
        client_.random().Chance(client_.faults().late_resume) ? 1 + client_.random().Below(4) : 0;
  }
  held.paused = paused;
  return absl::OkStatus();
}

absl::Status MemoryConsumer::CheckCommits(std::span<const OffsetCommit> commits,
                                          ConsumerGroup& group) {
  if (!IsSubscribed() && group.HasMembers()) {
    return FencedError("commit topic '{}': group '{}' has subscribed members", topic_,
                       options_.group);
  }
  for (const OffsetCommit& commit : commits) {
    RETURN_IF_ERROR(CheckCommit(commit));
    if (!IsSubscribed()) {
      RETURN_IF_ERROR(client_.broker.log().Find(topic_, commit.partition).status());
    } else if (!group.IsOwner(commit.partition, member_)) {
      return FencedError("commit topic '{}' partition {}: it is not this member's", topic_,
                         commit.partition);
    }
  }
  return absl::OkStatus();
}

absl::Status MemoryConsumer::Commit(std::span<const OffsetCommit> commits, Duration timeout) {
  if (topic_.empty()) return FatalError("commit: the consumer reads no topic");
  RETURN_IF_ERROR(client_.CheckAlive("commit"));
  client_.Reach("before commit");
  {
    absl::MutexLock lock(&client_.broker.mutex);
    RETURN_IF_ERROR(client_.Begin("commit", timeout));
    ASSIGN_OR_RETURN(ConsumerGroup* const group, client_.broker.Group(options_.group, topic_));
    RETURN_IF_ERROR(CheckCommits(commits, *group));
    for (const OffsetCommit& commit : commits) {
      group->Commit(commit);
      const auto held = held_.find(commit.partition);
      if (held == held_.end() || !held->second.stands_still) continue;
      const LogBounds bounds = LogOf(commit.partition).bounds();
      if (commit.offset < bounds.start || commit.offset > bounds.end) continue;
      held->second.position = commit.offset;
      held->second.stands_still = false;
    }
    if (client_.random().Chance(client_.faults().lost_answer)) {
      return TimeoutError("commit topic '{}': no answer in time", topic_);
    }
  }
  client_.Reach("after commit");
  return absl::OkStatus();
}

void MemoryConsumer::Close() {
  if (closed_) return;
  if (IsSubscribed() && !client_.dead()) {
    LoseWhatIsGone();
    const std::vector<PartitionId> revoked = AllHeld();
    if (!revoked.empty()) listener_->OnRevoked(revoked);
    absl::MutexLock lock(&client_.broker.mutex);
    // A named member keeps its place for as long as it may be silent.
    if (options_.member.empty()) Group().Leave(member_);
    client_.broker.Changed();
  }
  held_.clear();
  closed_ = true;
}

}  // namespace orbweaver
