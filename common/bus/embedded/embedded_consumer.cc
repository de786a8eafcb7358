#include "common/bus/embedded/embedded_consumer.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/base/text.h"

namespace orbweaver {
namespace {

// The batches that a Poll's messages point into.
class PolledMemory : public MessageBatch::Memory {
 public:
  std::vector<std::shared_ptr<const LogBatch>> batches;
  HeaderArena headers;
};

}  // namespace

class EmbeddedConsumer::Collected {
 public:
  Collected(const PollLimits& limits, std::vector<Message> messages)
      : limits_(limits), messages_(std::move(messages)) {}

  bool HasRoomFor(size_t bytes) const {
    if (messages_.empty()) return true;
    return messages_.size() < limits_.max_messages && bytes_ + bytes <= limits_.max_bytes;
  }
  bool empty() const { return messages_.empty(); }
  void Add(const Message& message) {
    bytes_ += message.key.size() + message.value.size();
    messages_.push_back(message);
  }
  PolledMemory& memory() { return *memory_; }
  void MoveTo(MessageBatch* batch) { batch->Set(std::move(messages_), std::move(memory_)); }

 private:
  const PollLimits limits_;
  std::vector<Message> messages_;
  size_t bytes_ = 0;
  std::unique_ptr<PolledMemory> memory_ = std::make_unique<PolledMemory>();
};

EmbeddedConsumer::EmbeddedConsumer(MessageLog& log, Groups& groups, const Clock& clock,
                                   const ConsumerOptions& options)
    : log_(log), groups_(groups), clock_(clock), options_(options) {}

EmbeddedConsumer::~EmbeddedConsumer() {
  // A named member's place is kept, as after Close.
  if (!closed_ && IsSubscribed() && options_.member.empty()) group_->Leave(member_);
}

absl::Status EmbeddedConsumer::Subscribe(std::string_view topic, RebalanceListener* listener) {
  CHECK(topic_ == nullptr && listener != nullptr);
  topic_ = log_.FindTopic(topic);
  if (topic_ == nullptr) return FatalError("subscribe to topic '{}': there is none", topic);
  group_ = &groups_.Find(options_.group, *topic_);
  listener_ = listener;
  return absl::OkStatus();
}

absl::Status EmbeddedConsumer::Assign(std::string_view topic,
                                      std::span<const AssignedPartition> from) {
  CHECK(!IsSubscribed());
  const LogTopic* const found = log_.FindTopic(topic);
  if (found == nullptr) return FatalError("assign topic '{}': there is none", topic);
  HeldPartitions held;
  for (const AssignedPartition& assigned : from) {
    ASSIGN_OR_RETURN(const LogPartition* const partition,
                     log_.FindPartition(topic, assigned.partition));
    held[assigned.partition] = {.log = partition, .position = assigned.position};
  }
  topic_ = found;
  group_ = &groups_.Find(options_.group, *topic_);
  held_ = std::move(held);
  rest_.reset();
  return absl::OkStatus();
}

absl::Status EmbeddedConsumer::Poll(const PollLimits& limits, Duration timeout,
                                    MessageBatch* batch) {
  batch->Clear();
  if (topic_ == nullptr || closed_) return FatalError("poll: the consumer reads no topic");
  const absl::Status status = PollUntil(limits, SystemClock().Now() + timeout, batch);
  // From here on its silence counts.
  if (IsSubscribed()) {
    const SteadyTime now = clock_.Now();
    group_->KeepAlive(member_, now, now + options_.session_timeout);
  }
  return status;
}

absl::Status EmbeddedConsumer::PollUntil(const PollLimits& limits, SteadyTime deadline,
                                         MessageBatch* batch) {
  while (true) {
    const uint64_t seen = log_.changed().count();
    const Duration left = std::max(deadline - SystemClock().Now(), Duration::zero());
    Duration wait = left;
    if (IsSubscribed()) {
      ASSIGN_OR_RETURN(const bool rebalanced, Rebalance(left));
      if (rebalanced) return absl::OkStatus();
      // Somebody else's death is only noticed by those who look.
      if (const auto expiry = group_->NextExpiry()) {
        wait = std::clamp(*expiry - clock_.Now(), Duration::zero(), left);
      }
    }
    RETURN_IF_ERROR(CheckPositions());
    RETURN_IF_ERROR(Fetch(limits, batch));
    if (!batch->empty() || left == Duration::zero()) return absl::OkStatus();
    log_.changed().Await(seen, wait);
  }
}

std::vector<PartitionId> EmbeddedConsumer::AllHeld() const {
  std::vector<PartitionId> partitions;
  for (const auto& [partition, held] : held_) partitions.push_back(partition);
  return partitions;
}

absl::StatusOr<bool> EmbeddedConsumer::Rebalance(Duration left) {
  const SteadyTime now = clock_.Now();
  // Waiting in Poll is no silence.
  const SteadyTime alive_until = now + left + options_.session_timeout;
  Group::Look look = group_->KeepAlive(member_, now, alive_until);
  if (look.standing == Group::Standing::kMember && look.generation == generation_) return false;
  bool rebalanced = false;
  if (look.standing != Group::Standing::kMember) {
    const std::vector<PartitionId> lost = AllHeld();
    held_.clear();
    if (!lost.empty()) {
      listener_->OnLost(lost);
      rebalanced = true;
    }
    if (look.standing == Group::Standing::kFenced) {
      if (rebalanced) return true;
      return FencedError("poll topic '{}': a later member is named '{}' too", topic_->spec.name,
                         options_.member);
    }
    member_ = group_->Join(options_.member, alive_until);
    look = group_->KeepAlive(member_, now, alive_until);
  }
  // Before what follows is looked at: a change in the midst of it makes the next Poll look again.
  generation_ = look.generation;
  const std::vector<PartitionId> revoked = group_->MeantForOthers(member_, AllHeld());
  if (!revoked.empty()) {
    listener_->OnRevoked(revoked);
    for (const PartitionId partition : revoked) held_.erase(partition);
    group_->Release(member_, revoked);
    rebalanced = true;
  }
  ASSIGN_OR_RETURN(const std::vector<AssignedPartition> assigned,
                   group_->TakeMine(member_, AllHeld()));
  if (!assigned.empty()) {
    for (const AssignedPartition& mine : assigned) {
      held_[mine.partition] = {.log = topic_->Find(mine.partition), .position = mine.position};
    }
    listener_->OnAssigned(assigned);
    rebalanced = true;
  }
  return rebalanced;
}

absl::Status EmbeddedConsumer::CheckPositions() {
  for (auto& [partition, held] : held_) {
    const int64_t start = held.log->start;
    const int64_t end = held.log->end;
    if (held.stands_still || held.paused) continue;
    if (held.position.value() >= start && held.position.value() <= end) continue;
    held.stands_still = true;
    return absl::OutOfRangeError(ToAbsl(fmt::format(
        "poll topic '{}' partition {}: position {} is not in the log, which starts at {}",
        topic_->spec.name, partition, held.position, start)));
  }
  return absl::OkStatus();
}

absl::Status EmbeddedConsumer::Fetch(const PollLimits& limits, MessageBatch* batch) {
  Collected collected(limits, batch->TakeMessages());
  // Messages read before an error are delivered; the next Poll meets the error first.
  absl::Status status = Collect(&collected);
  if (!status.ok() && collected.empty()) return status;
  collected.MoveTo(batch);
  return absl::OkStatus();
}

absl::Status EmbeddedConsumer::Collect(Collected* collected) {
  const auto can_read = [](const Held& held) { return !held.paused && !held.stands_still; };
  if (rest_.has_value()) {
    const auto found = held_.find(rest_->partition);
    if (found == held_.end() || found->second.position != rest_->next) {
      rest_.reset();
    } else if (can_read(found->second)) {
      RETURN_IF_ERROR(TakeRest(&found->second, collected));
    }
  }
  // Before the view is made, which does not see what is appended later.
  for (auto& [partition, held] : held_) held.readable = Offset(held.log->end);
  std::optional<MessageLog::View> view;
  auto next = held_.lower_bound(turn_);
  for (size_t i = 0; i < held_.size() && collected->HasRoomFor(0); ++i, ++next) {
    if (next == held_.end()) next = held_.begin();
    auto& [partition, held] = *next;
    while (can_read(held) && held.position < held.readable && collected->HasRoomFor(0)) {
      if (!view.has_value()) view.emplace(log_);
      const absl::Status opened = OpenBatch(partition, held, &*view);
      // Retention was faster: the next Poll's check says so.
      if (absl::IsOutOfRange(opened)) break;
      RETURN_IF_ERROR(opened);
      const Offset before = held.position;
      RETURN_IF_ERROR(TakeRest(&held, collected));
      if (held.position == before) break;  // the next message does not fit
    }
    turn_ = partition + 1;
  }
  return absl::OkStatus();
}

absl::Status EmbeddedConsumer::OpenBatch(PartitionId partition, const Held& held,
                                         MessageLog::View* view) {
  auto batch = std::make_shared<LogBatch>();
  RETURN_IF_ERROR(view->Read(*held.log, held.position, batch.get()));
  rest_ = Rest{.partition = partition, .next = batch->first, .batch = batch};
  bool readable = rest_->cursor.Open(batch->stored);
  for (; readable && rest_->next < held.position; ++rest_->next) readable = rest_->cursor.Skip();
  if (readable) return absl::OkStatus();
  rest_.reset();
  return FatalError("poll topic '{}' partition {} offset {}: the log is corrupt", topic_->spec.name,
                    partition, held.position);
}

absl::Status EmbeddedConsumer::TakeRest(Held* held, Collected* collected) {
  collected->memory().batches.push_back(rest_->batch);
  while (!rest_->cursor.done()) {
    if (!collected->HasRoomFor(rest_->cursor.NextBytes())) return absl::OkStatus();
    Message message{.partition = rest_->partition, .offset = rest_->next};
    if (!rest_->cursor.Next(&collected->memory().headers, &message)) {
      const Offset corrupt = rest_->next;
      rest_.reset();
      return FatalError("poll topic '{}' partition {} offset {}: the log is corrupt",
                        topic_->spec.name, held->log->id, corrupt);
    }
    collected->Add(message);
    held->position = ++rest_->next;
  }
  rest_.reset();
  return absl::OkStatus();
}

absl::Status EmbeddedConsumer::SetPaused(PartitionId partition, bool paused) {
  const auto found = held_.find(partition);
  if (found == held_.end()) {
    return FencedError("pause partition {}: it is not this consumer's", partition);
  }
  found->second.paused = paused;
  return absl::OkStatus();
}

absl::Status EmbeddedConsumer::Commit(std::span<const OffsetCommit> commits, Duration timeout) {
  if (topic_ == nullptr) return FatalError("commit: the consumer reads no topic");
  const std::optional<Group::MemberId> member =
      IsSubscribed() ? std::optional(member_) : std::nullopt;
  RETURN_IF_ERROR(group_->Commit(member, commits, timeout));
  for (const OffsetCommit& commit : commits) {
    const auto found = held_.find(commit.partition);
    if (found == held_.end() || !found->second.stands_still) continue;
    Held& held = found->second;
    const int64_t offset = commit.offset.value();
    if (offset < held.log->start || offset > held.log->end) continue;
    held.position = commit.offset;
    held.stands_still = false;
  }
  return absl::OkStatus();
}

void EmbeddedConsumer::Close() {
  if (closed_) return;
  if (IsSubscribed()) {
    const SteadyTime now = clock_.Now();
    const Group::Look look = group_->KeepAlive(member_, now, now + options_.session_timeout);
    const std::vector<PartitionId> held = AllHeld();
    if (!held.empty() && look.standing == Group::Standing::kMember) listener_->OnRevoked(held);
    if (!held.empty() && look.standing != Group::Standing::kMember) listener_->OnLost(held);
    // A named member's place is kept for as long as it may be silent.
    if (options_.member.empty()) group_->Leave(member_);
  }
  held_.clear();
  rest_.reset();
  closed_ = true;
}

}  // namespace orbweaver
