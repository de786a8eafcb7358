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

// The listener is called without the lock, so each of these takes it.
class MemoryConsumer::Membership : public GroupSide {
 public:
  explicit Membership(MemoryConsumer& consumer) : consumer_(consumer) {}

  Standing CheckStanding() override {
    absl::MutexLock lock(&consumer_.client_.broker.mutex);
    const ConsumerGroup& group = consumer_.Group();
    if (group.IsMember(consumer_.member_)) return Standing::kMember;
    consumer_.revokes_all_ = false;
    return group.IsFenced(consumer_.member_) ? Standing::kFenced : Standing::kGone;
  }
  void Join() override {
    absl::MutexLock lock(&consumer_.client_.broker.mutex);
    consumer_.member_ =
        consumer_.Group().Join(consumer_.options_.member, consumer_.client_.broker.Tick() +
                                                              consumer_.options_.session_timeout);
    consumer_.client_.broker.Changed();
  }
  std::vector<PartitionId> MeantForOthers(std::span<const PartitionId> held) override {
    absl::MutexLock lock(&consumer_.client_.broker.mutex);
    const bool all = std::exchange(consumer_.revokes_all_, false);
    std::vector<PartitionId> others;
    for (const PartitionId partition : held) {
      if (all || !consumer_.Group().IsMeantFor(partition, consumer_.member_)) {
        others.push_back(partition);
      }
    }
    return others;
  }
  void Release(std::span<const PartitionId> partitions) override {
    absl::MutexLock lock(&consumer_.client_.broker.mutex);
    for (const PartitionId partition : partitions) {
      consumer_.Group().Release(partition, consumer_.member_);
    }
    consumer_.client_.broker.Changed();
  }
  absl::StatusOr<std::vector<AssignedPartition>> TakeMine(
      std::span<const PartitionId> held) override {
    absl::MutexLock lock(&consumer_.client_.broker.mutex);
    ConsumerGroup& group = consumer_.Group();
    std::vector<AssignedPartition> mine;
    for (const PartitionId partition : group.TakeMine(consumer_.member_)) {
      if (std::ranges::binary_search(held, partition)) continue;
      const auto& committed = group.committed(partition);
      mine.push_back(
          {partition,
           committed.has_value() ? committed->offset : consumer_.LogOf(partition).bounds().start,
           committed.has_value() ? committed->metadata : "", committed.has_value()});
      consumer_.late_polls_.erase(partition);
    }
    return mine;
  }

 private:
  MemoryConsumer& consumer_;
};

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
  held_.Clear();
  late_polls_.clear();
  for (const AssignedPartition& assigned : from) {
    held_.Take(assigned.partition, assigned.position);
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
    Membership membership(*this);
    ASSIGN_OR_RETURN(const bool rebalanced, Rebalance(membership, *listener_, &held_));
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
    if (may_have != held_.Has(partition)) return true;
  }
  return false;
}

bool MemoryConsumer::HasMessages() {
  return std::any_of(held_.begin(), held_.end(),
                     [this](const auto& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(client_.broker.mutex) {
                       return entry.second.is_read() &&
                              entry.second.position != LogOf(entry.first).bounds().end;
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

absl::Status MemoryConsumer::CheckPositions() {
  absl::MutexLock lock(&client_.broker.mutex);
  return held_.CheckPositions(
      topic_, [this](PartitionId partition) ABSL_EXCLUSIVE_LOCKS_REQUIRED(client_.broker.mutex) {
        return LogOf(partition).bounds();
      });
}

std::vector<PartitionId> MemoryConsumer::FetchOrder() {
  std::vector<PartitionId> order = held_.ids();
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
    HeldPartitions::Held& held = *held_.Find(partition);
    if (!held.is_read()) continue;
    if (uint64_t& late_polls = late_polls_[partition]; late_polls > 0) {
      --late_polls;
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
  ASSIGN_OR_RETURN(const bool changed, held_.SetPaused(topic_, partition, paused));
  if (!changed || paused) return absl::OkStatus();
  absl::MutexLock lock(&client_.broker.mutex);
  late_polls_[partition] =
      client_.random().Chance(client_.faults().late_resume) ? 1 + client_.random().Below(4) : 0;
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
    for (const OffsetCommit& commit : commits) group->Commit(commit);
    held_.Resume(commits, [this](PartitionId partition) ABSL_EXCLUSIVE_LOCKS_REQUIRED(
                              client_.broker.mutex) { return LogOf(partition).bounds(); });
    if (client_.random().Chance(client_.faults().lost_answer)) {
      return TimeoutError("commit topic '{}': no answer in time", topic_);
    }
  }
  client_.Reach("after commit");
  return absl::OkStatus();
}

void MemoryConsumer::Close(Departure departure) {
  if (closed_) return;
  if (IsSubscribed() && !client_.dead()) {
    Membership membership(*this);
    ReleaseAll(membership, *listener_, &held_);
    absl::MutexLock lock(&client_.broker.mutex);
    // A named member keeps its place for as long as it may be silent.
    if (options_.member.empty() || departure == Departure::kForGood) Group().Leave(member_);
    client_.broker.Changed();
  }
  held_.Clear();
  closed_ = true;
}

}  // namespace orbweaver
