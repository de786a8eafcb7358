#include "common/bus/embedded/embedded_consumer.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/base/text.h"

namespace orbweaver {
namespace {

// After MessageLog::HurryPolls.
constexpr Duration kHurriedPoll = std::chrono::milliseconds(20);

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

class EmbeddedConsumer::Membership : public GroupSide {
 public:
  // Waiting in Poll, for `left` at most, is no silence.
  Membership(EmbeddedConsumer& consumer, Duration left)
      : consumer_(consumer),
        now_(consumer.clock_.Now()),
        alive_until_(now_ + left + consumer.options_.session_timeout),
        state_(KeepAlive()) {}

  Group::MemberState state() const { return state_; }

  Standing CheckStanding() override {
    // Before what follows is looked at: a change in the midst of it makes the next Poll look again.
    consumer_.generation_ = state_.generation;
    return state_.standing;
  }
  void Join() override {
    consumer_.member_ = group().Join(consumer_.options_.member, alive_until_);
    consumer_.generation_ = KeepAlive().generation;
  }
  std::vector<PartitionId> MeantForOthers(std::span<const PartitionId> held) override {
    return group().MeantForOthers(consumer_.member_, held);
  }
  void Release(std::span<const PartitionId> partitions) override {
    group().Release(consumer_.member_, partitions);
  }
  absl::StatusOr<std::vector<AssignedPartition>> TakeMine(
      std::span<const PartitionId> held) override {
    return group().TakeMine(consumer_.member_, held);
  }

 private:
  Group& group() { return *consumer_.group_; }
  Group::MemberState KeepAlive() {
    return group().KeepAlive(consumer_.member_, now_, alive_until_);
  }

  EmbeddedConsumer& consumer_;
  const SteadyTime now_;
  const SteadyTime alive_until_;
  const Group::MemberState state_;
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
    RETURN_IF_ERROR(log_.FindPartition(topic, assigned.partition).status());
    held.Take(assigned.partition, assigned.position);
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
    const uint64_t seen = topic_->changed.count();
    if (log_.polls_hurry()) deadline = std::min(deadline, SystemClock().Now() + kHurriedPoll);
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
    RETURN_IF_ERROR(
        held_.CheckPositions(topic_->spec.name, [this](PartitionId id) { return BoundsOf(id); }));
    RETURN_IF_ERROR(Fetch(limits, batch));
    if (!batch->empty() || left == Duration::zero()) return absl::OkStatus();
    topic_->changed.Await(seen, wait);
  }
}

LogBounds EmbeddedConsumer::BoundsOf(PartitionId partition) const {
  const LogPartition& log = *topic_->Find(partition);
  return {Offset(log.start), Offset(log.end)};
}

absl::StatusOr<bool> EmbeddedConsumer::Rebalance(Duration left) {
  Membership membership(*this, left);
  const Group::MemberState state = membership.state();
  if (state.standing == Group::Standing::kMember && state.generation == generation_) return false;
  ASSIGN_OR_RETURN(const bool rebalanced, orbweaver::Rebalance(membership, *listener_, &held_));
  if (state.standing != Group::Standing::kFenced || rebalanced) return rebalanced;
  return FencedError("poll topic '{}': a later member is named '{}' too", topic_->spec.name,
                     options_.member);
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
  if (rest_.has_value()) {
    Held* const held = held_.Find(rest_->partition);
    if (held == nullptr || held->position != rest_->next) {
      rest_.reset();
    } else if (held->is_read()) {
      RETURN_IF_ERROR(TakeRest(held, collected));
    }
  }
  // Before the view is made, which does not see what is appended later. The partition
  // whose turn it is comes first.
  readable_.clear();
  for (auto& [partition, held] : held_) {
    readable_.push_back({partition, &held, Offset(topic_->Find(partition)->end)});
  }
  const auto first = std::ranges::lower_bound(readable_, turn_, {}, &Readable::partition);
  std::ranges::rotate(readable_, first);
  std::optional<MessageLog::View> view;
  for (const auto& [partition, reached, end] : readable_) {
    if (!collected->HasRoomFor(0)) break;
    Held& held = *reached;
    while (held.is_read() && held.position < end && collected->HasRoomFor(0)) {
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
  RETURN_IF_ERROR(view->Read(*topic_->Find(partition), held.position, batch.get()));
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
                        topic_->spec.name, message.partition, corrupt);
    }
    collected->Add(message);
    held->position = ++rest_->next;
  }
  rest_.reset();
  return absl::OkStatus();
}

absl::Status EmbeddedConsumer::SetPaused(PartitionId partition, bool paused) {
  return held_.SetPaused(topic_ == nullptr ? "" : topic_->spec.name, partition, paused).status();
}

absl::Status EmbeddedConsumer::Commit(std::span<const OffsetCommit> commits, Duration timeout) {
  if (topic_ == nullptr) return FatalError("commit: the consumer reads no topic");
  const std::optional<Group::MemberId> member =
      IsSubscribed() ? std::optional(member_) : std::nullopt;
  RETURN_IF_ERROR(group_->Commit(member, commits, timeout));
  held_.Resume(commits, [this](PartitionId id) { return BoundsOf(id); });
  return absl::OkStatus();
}

void EmbeddedConsumer::Close(Departure departure) {
  if (closed_) return;
  if (IsSubscribed()) {
    Membership membership(*this, Duration::zero());
    ReleaseAll(membership, *listener_, &held_);
    // A named member's place is kept for as long as it may be silent.
    if (options_.member.empty() || departure == Departure::kForGood) group_->Leave(member_);
  }
  held_.Clear();
  rest_.reset();
  closed_ = true;
}

}  // namespace orbweaver
