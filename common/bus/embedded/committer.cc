#include "common/bus/embedded/committer.h"

#include <algorithm>
#include <utility>

#include "common/base/log.h"
#include "common/base/status.h"

namespace orbweaver {
namespace {

// A batch is what a reader reads at once, whatever little it wants of it.
constexpr size_t kBatchBytes = size_t{64} << 10;
// RocksDB copies what is written several times on its way: this bounds one write.
constexpr size_t kGroupBytes = size_t{8} << 20;
// How long a round waits for compactions that are too far behind, before the next one looks whose
// time is over and what was sent meanwhile.
constexpr Duration kStallPatience = std::chrono::milliseconds(50);
// A group that nobody waits for follows the one before so much later, that it may grow: each costs
// an fsync, and wakes its producers and readers.
constexpr Duration kGather = std::chrono::milliseconds(20);
constexpr size_t kUrgentBytes = size_t{256} << 10;

}  // namespace

absl::Status SendLane::Send(LogPartition* partition, const Record& record, WallTime time,
                            uint64_t token, size_t bytes, size_t max_bytes) {
  absl::MutexLock lock(&mutex_);
  if (!failed_.ok()) return failed_;
  if (outstanding_ > 0 && bytes_ + bytes > max_bytes) {
    return absl::ResourceExhaustedError("send: the producer's byte budget is full");
  }
  SentBatch*& open = open_[partition];
  if (open == nullptr || open->records.body().size() + bytes > kBatchBytes) {
    open = &sent_.emplace_back();
    open->partition = partition;
  }
  open->records.Add(record, time);
  open->tokens.push_back(token);
  open->bytes += bytes;
  bytes_ += bytes;
  ++outstanding_;
  const bool is_first = sent_.size() == 1 && open->tokens.size() == 1;
  const bool is_urgent = bytes_ >= kUrgentBytes && bytes_ - bytes < kUrgentBytes;
  if (is_first || is_urgent) work_.Raise();
  return absl::OkStatus();
}

bool SendLane::IsUrgent() const {
  absl::MutexLock lock(&mutex_);
  return !sent_.empty() && (waiting_ > 0 || bytes_ >= kUrgentBytes);
}

std::deque<SentBatch> SendLane::TakeAcked(Duration timeout) {
  absl::MutexLock lock(&mutex_);
  if (timeout > Duration::zero() && !IsSettled()) {
    ++waiting_;
    if (!sent_.empty()) work_.Raise();
    mutex_.AwaitWithTimeout(absl::Condition(this, &SendLane::IsSettled), absl::FromChrono(timeout));
    --waiting_;
  }
  for (const SentBatch& batch : acked_) {
    outstanding_ -= batch.tokens.size();
    bytes_ -= batch.bytes;
  }
  return std::exchange(acked_, {});
}

bool SendLane::HasOutstanding() const {
  absl::MutexLock lock(&mutex_);
  return outstanding_ > 0;
}

std::deque<SentBatch> SendLane::TakeSent() {
  absl::MutexLock lock(&mutex_);
  open_.clear();
  return std::exchange(sent_, {});
}

void SendLane::Settle(std::deque<SentBatch> batches, SteadyTime now) {
  absl::MutexLock lock(&mutex_);
  for (; !batches.empty() && batches.front().status.ok(); batches.pop_front()) {
    stalled_since_.reset();
    acked_.push_back(std::move(batches.front()));
  }
  if (batches.empty()) return;
  const absl::Status why = batches.front().status;
  // References into sent_, which open_ holds, stay valid.
  for (; !batches.empty(); batches.pop_back()) sent_.push_front(std::move(batches.back()));
  if (absl::IsDeadlineExceeded(why)) {
    if (!stalled_since_.has_value()) stalled_since_ = now;
    if (now - *stalled_since_ < delivery_timeout_) return;
    failed_ =
        FencedError("send: given up after {} s: {}",
                    std::chrono::duration_cast<std::chrono::seconds>(delivery_timeout_).count(),
                    MessageOf(why));
  } else {
    failed_ = FatalError("send: {}", MessageOf(why));
  }
  open_.clear();
  for (; !sent_.empty(); sent_.pop_front()) {
    sent_.front().status = failed_;
    acked_.push_back(std::move(sent_.front()));
  }
}

bool SendLane::HasSent() const {
  absl::MutexLock lock(&mutex_);
  return !sent_.empty();
}

Committer::Committer(MessageLog& log, Duration retention_interval)
    : log_(log), retention_interval_(retention_interval), thread_([this] { Run(); }) {}

Committer::~Committer() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  work_.Raise();
  thread_.join();
}

std::shared_ptr<SendLane> Committer::NewLane(Duration delivery_timeout) {
  auto lane = std::make_shared<SendLane>(work_, delivery_timeout);
  absl::MutexLock lock(&mutex_);
  lanes_.push_back(lane);
  return lane;
}

void Committer::Run() {
  SteadyTime next_retention = SystemClock().Now() + retention_interval_;
  SteadyTime gathers_until = SystemClock().Now();
  while (true) {
    const uint64_t seen = work_.count();
    const Duration gathers = gathers_until - SystemClock().Now();
    if (gathers > Duration::zero() && !IsUrgent()) {
      work_.Await(seen, gathers);
      continue;
    }
    if (CommitOnce()) {
      gathers_until = SystemClock().Now() + kGather;
      continue;
    }
    {
      absl::MutexLock lock(&mutex_);
      if (stopping_) return;
    }
    const SteadyTime now = SystemClock().Now();
    if (now < next_retention) {
      work_.Await(seen, next_retention - now);
      continue;
    }
    next_retention = now + retention_interval_;
    const absl::Status status = log_.ApplyRetention();
    if (!status.ok()) Log(LogLevel::kError, "bus", "{}", MessageOf(status));
  }
}

bool Committer::IsUrgent() const {
  absl::MutexLock lock(&mutex_);
  return stopping_ || std::any_of(lanes_.begin(), lanes_.end(),
                                  [](const auto& lane) { return lane->IsUrgent(); });
}

bool Committer::CommitOnce() {
  struct Taken {
    std::shared_ptr<SendLane> lane;
    std::deque<SentBatch> batches;
  };
  std::vector<Taken> taken;
  {
    absl::MutexLock lock(&mutex_);
    // Held by nobody else: the producer is gone.
    std::erase_if(lanes_,
                  [](const auto& lane) { return lane.use_count() == 1 && !lane->HasSent(); });
    for (const auto& lane : lanes_) taken.push_back({lane, {}});
  }
  std::vector<MessageLog::Append> group;
  std::vector<SentBatch*> grouped;
  size_t group_bytes = 0;
  absl::Status status;  // after a failure no later group of the round is tried
  const auto append = [&] {
    if (status.ok()) status = log_.AppendAll(group, kStallPatience);
    for (size_t i = 0; i < group.size(); ++i) {
      grouped[i]->first = group[i].first;
      grouped[i]->status = status;
    }
    group.clear();
    grouped.clear();
    group_bytes = 0;
  };
  for (Taken& from : taken) {
    from.batches = from.lane->TakeSent();
    for (SentBatch& batch : from.batches) {
      group.push_back({batch.partition, &batch.records});
      grouped.push_back(&batch);
      group_bytes += batch.records.body().size();
      if (group_bytes >= kGroupBytes) append();
    }
  }
  if (!group.empty()) append();
  bool any = false;
  const SteadyTime now = SystemClock().Now();
  for (Taken& from : taken) {
    if (from.batches.empty()) continue;
    any = true;
    from.lane->Settle(std::move(from.batches), now);
  }
  return any;
}

}  // namespace orbweaver
