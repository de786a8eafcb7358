#include "strategy_worker/core/strategy_core.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "strategy_worker/core/phase_timer.h"

namespace orbweaver {

StrategyWorkerOptions WithinSession(StrategyWorkerOptions options, Duration session_timeout) {
  const auto longest = LogSession::LongestCall(session_timeout);
  options.store_timeout = std::min<Duration>(options.store_timeout, longest);
  options.bus_timeout = std::min<Duration>(options.bus_timeout, longest);
  return options;
}

absl::StatusOr<std::unique_ptr<LogSession>> NewSpiderLogSession(
    Bus& bus, const Clock& clock, const GroupMembership& membership,
    const StrategyWorkerOptions& options) {
  return LogSession::Create(bus, clock,
                            {.topic = std::string(kSpiderLogTopic),
                             .group = std::string(kStrategyWorkerGroup),
                             .membership = membership,
                             .call_timeout = options.bus_timeout,
                             .module = "strategy",
                             .loss = "Their links are lost"});
}

StrategyCore::StrategyCore(StrategyCoreParts parts)
    : parts_(std::move(parts)),
      options_(parts_.options),
      metrics_(parts_.metrics),
      ownership_(*parts_.scoring_log, parts_.store, parts_.topics, metrics_),
      reader_(parts_.urls, parts_.suffixes, parts_.topics.partitions, parts_.scope.kind(),
              metrics_),
      lookup_(options_, *parts_.states, parts_.spider_log->offsets(), ownership_, parts_.scope,
              parts_.strategy, view_, metrics_),
      handler_(options_, parts_.topics.topic_epoch, *parts_.states, parts_.scope, parts_.strategy,
               reader_, view_, kept_entries_, metrics_),
      flight_({.options = options_,
               .clock = parts_.clock,
               .store = parts_.store,
               .states = *parts_.states,
               .kept_entries = kept_entries_,
               .log = *parts_.scoring_log,
               .spider_log = *parts_.spider_log,
               .background = parts_.background,
               .metrics = metrics_}) {
  parts_.states->CountWaits(stage_);
}

StrategyCore::~StrategyCore() = default;

absl::Status StrategyCore::Start() { return parts_.spider_log->Join(this); }

absl::StatusOr<bool> StrategyCore::Step(Duration wait) {
  if (!failure_.ok()) return failure_;
  const StageScope step(stage_, StageState::kBusy);
  absl::StatusOr<bool> worked = TryStep(wait);
  is_stalled_ = IsRetry(worked.status());
  if (!worked.ok() && !is_stalled_) Fail(worked.status());
  return worked;
}

absl::StatusOr<bool> StrategyCore::TryStep(Duration wait) {
  if (is_stalled_ || (!batch_.empty() && parts_.spider_log->IsDue())) {
    RETURN_IF_ERROR(parts_.spider_log->StayInGroup());
    RETURN_IF_ERROR(failure_);
  }
  RETURN_IF_ERROR(Prepare());
  const bool was_busy = flight_.IsUnderWay() || !batch_.empty();
  absl::Status ahead;  // of the batch that comes next
  if (batch_.empty()) ahead = Read(was_busy ? Duration::zero() : wait);
  RETURN_IF_ERROR(failure_);
  bool is_loaded = false;
  if (ahead.ok() && !batch_.empty() && !is_looked_up_) {
    PhaseTimer timer(parts_.clock, metrics_.lookup_seconds);
    ahead = AsOwner(lookup_.Run(&batch_));
    is_looked_up_ = ahead.ok();
    is_loaded = ahead.ok() && !flight_.IsUnderWay();
  }
  {
    const StageScope waits(stage_, StageState::kWaitsForOutput);
    RETURN_IF_ERROR(flight_.Finish());
  }
  RETURN_IF_ERROR(ahead);
  if (batch_.empty()) return was_busy;
  if (!is_loaded) RETURN_IF_ERROR(AsOwner(lookup_.RunAgain(&batch_)));
  RETURN_IF_ERROR(Apply());
  flight_.Begin(&ownership_, &batch_);
  is_applying_ = false;
  is_looked_up_ = false;
  if (batch_.IsDone()) {
    batch_.Clear();
    reader_.Reset();
  }
  return true;
}

absl::Status StrategyCore::AsOwner(const absl::Status& looked_up) {
  if (!IsFatal(looked_up)) return looked_up;
  std::vector<PartitionId> partitions;
  for (const auto& [partition, owned] : ownership_.owned()) partitions.push_back(partition);
  RETURN_IF_ERROR(parts_.scoring_log->CheckStillOwner(partitions, options_.bus_timeout));
  return looked_up;
}

absl::Status StrategyCore::Prepare() {
  const StageScope waits(stage_, StageState::kWaitsForOutput);
  RETURN_IF_ERROR(ownership_.TakeOver(options_.bus_timeout, options_.store_timeout));
  if (!ownership_.ReserveVersions()) {
    RETURN_IF_ERROR(flight_.Finish());
    RETURN_IF_ERROR(ownership_.Renew(options_.bus_timeout));
  }
  ownership_.SaveWitnesses(options_.store_timeout, parts_.clock.Now());
  if (!parts_.spider_log->is_cut() || !batch_.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(flight_.Finish());
  return GoOnBehindCuts();
}

absl::Status StrategyCore::Read(Duration wait) {
  PhaseTimer timer(parts_.clock, metrics_.read_seconds);
  std::optional<SteadyTime> deadline;  // from the first message on
  size_t bytes = 0;
  while (batch_.size() < options_.batch_events && bytes < options_.batch_bytes) {
    const PollLimits limits{
        .max_bytes = std::min(PollLimits().max_bytes, options_.batch_bytes - bytes),
        .max_messages = std::min(PollLimits().max_messages, options_.batch_events - batch_.size())};
    MessageBatch& poll = batch_.AddPoll();
    absl::Status polled;
    {
      const StageScope waits(stage_, StageState::kWaitsForInput);
      polled =
          parts_.spider_log->Poll(limits, deadline.has_value() ? Duration::zero() : wait, &poll);
    }
    if (!polled.ok()) return batch_.empty() ? polled : absl::OkStatus();
    if (!deadline.has_value()) SetLag();
    if (!failure_.ok() || poll.empty()) return failure_;
    RETURN_IF_ERROR(ReadPoll(poll));
    for (const Message& message : poll.messages()) {
      bytes += message.key.size() + message.value.size();
    }
    // Messages of a partition that came with this poll would follow, and it has no epoch yet.
    if (ownership_.HasPending()) break;
    if (!deadline.has_value()) deadline = parts_.clock.Now() + options_.batch_time;
    if (parts_.clock.Now() >= *deadline) break;
  }
  return absl::OkStatus();
}

void StrategyCore::SetLag() {
  const std::chrono::duration<double> behind = parts_.spider_log->behind();
  metrics_.lag_seconds.Set(behind.count());
}

absl::Status StrategyCore::ReadPoll(const MessageBatch& poll) {
  for (const Message& message : poll.messages()) {
    OwnedPartition* const owner = ownership_.Find(message.partition);
    if (owner == nullptr) {
      return FatalError("poll: a message of partition {}, which was not taken over",
                        message.partition);
    }
    owner->known_end = std::max(owner->known_end, message.offset + 1);
    SourceEvent& event = batch_.AddEvent();
    reader_.Read(message, &event);
    batch_.Link(message.partition);
  }
  return absl::OkStatus();
}

absl::Status StrategyCore::GoOnBehindCuts() {
  ASSIGN_OR_RETURN(const std::vector<CutLog> cuts,
                   parts_.spider_log->GoOnBehindCuts([](PartitionId) { return std::string(); }));
  for (const CutLog& cut : cuts) {
    OwnedPartition* const owner = ownership_.Find(cut.partition);
    metrics_.lost_events.Increment(cut.lost());
    owner->known_end = std::max(owner->known_end, cut.start);
  }
  return absl::OkStatus();
}

absl::Status StrategyCore::Apply() {
  PhaseTimer timer(parts_.clock, metrics_.apply_seconds);
  if (!is_applying_) {
    handler_.BeginBatch();
    written_ = 0;
  }
  const SteadyTime deadline = parts_.clock.Now() + options_.batch_time;
  const size_t most = std::min(options_.batch_bytes, kMaxBatchOutputBytes);
  while (SourceEvent* const event = batch_.Next()) {
    if (is_applying_ && (written_ >= most || parts_.clock.Now() >= deadline)) {
      return absl::OkStatus();
    }
    is_applying_ = true;
    if (event->poison.empty() && !event->is_in_row &&
        (event->IsOfDomain() || !event->links.empty())) {
      const absl::Status handled = handler_.Handle(
          *event, &batch_.domain(), ownership_.Find(event->message->partition), &written_);
      if (IsPoison(handled)) {
        event->poison = MessageOf(handled);
        event->strategy_failed = true;
      } else {
        RETURN_IF_ERROR(handled);
      }
    }
    if (!event->poison.empty()) RETURN_IF_ERROR(Bury(*event));
    batch_.Advance();
  }
  // Events are applied by domain and not by offset, so nothing is committed before all are applied.
  // The rows' watermarks say which events are applied.
  for (const SourceEvent& event : batch_.IsDone() ? batch_.events() : std::span<SourceEvent>()) {
    if (event.message == nullptr) continue;
    ownership_.Find(event.message->partition)->applied_to = event.message->offset + 1;
    ownership_.Witness(*event.message, parts_.clock.Now());
  }
  return absl::OkStatus();
}

absl::Status StrategyCore::Bury(const SourceEvent& event) {
  const Message& message = *event.message;
  if (event.strategy_failed && options_.on_strategy_error == OnStrategyError::kStop) {
    return FatalError("{} ('{}' partition {} offset {}). Nothing is lost: {}", event.poison,
                      kSpiderLogTopic, message.partition, message.offset,
                      options_.after_strategy_error);
  }
  RETURN_IF_ERROR(parts_.spider_log->Bury(message, event.poison));
  Log(LogLevel::kWarning, "strategy", "'{}' partition {} offset {} goes to '{}': {}",
      kSpiderLogTopic, message.partition, message.offset, kDeadLetterTopic, event.poison);
  metrics_.dead_letters.Increment();
  return absl::OkStatus();
}

absl::Status StrategyCore::Stop() {
  RETURN_IF_ERROR(failure_);
  if (!is_applying_) RETURN_IF_ERROR(flight_.Finish());
  batch_.Clear();
  parts_.spider_log->Close();
  return failure_;
}

void StrategyCore::OnAssigned(std::span<const AssignedPartition> partitions) {
  for (const AssignedPartition& partition : partitions) ownership_.Assign(partition);
}

void StrategyCore::OnRevoked(std::span<const PartitionId> partitions) {
  if (!failure_.ok()) return;
  if (is_applying_) {
    Fail(FencedError("rebalance: partitions were revoked in the middle of a batch"));
    return;
  }
  if (const absl::Status finished = flight_.Finish(); !finished.ok()) {
    Fail(FencedError("rebalance: the batch in hand could not be brought to its commit: {}",
                     MessageOf(finished)));
    return;
  }
  Forget(partitions);
}

void StrategyCore::OnLost(std::span<const PartitionId> partitions) {
  if (is_applying_ || flight_.IsUnderWay()) {
    Fail(FencedError("rebalance: partitions were lost with a batch in hand"));
    return;
  }
  Forget(partitions);
}

void StrategyCore::Forget(std::span<const PartitionId> partitions) {
  for (const PartitionId partition : partitions) {
    batch_.Forget(partition);
    parts_.states->Drop(partition);
    kept_entries_.Drop(partition);
    ownership_.Release(partition);
  }
}

void StrategyCore::Fail(const absl::Status& status) {
  if (failure_.ok()) failure_ = status;
}

}  // namespace orbweaver
