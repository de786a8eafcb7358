#include "common/worker/log_session.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

#include "common/base/log.h"
#include "common/base/status.h"

namespace orbweaver {

absl::StatusOr<std::unique_ptr<LogSession>> LogSession::Create(Bus& bus, const Clock& clock,
                                                               LogSessionOptions options) {
  ASSIGN_OR_RETURN(auto offsets, bus.NewOffsetReader());
  ASSIGN_OR_RETURN(auto consumer,
                   bus.NewConsumer({.group = options.group,
                                    .member = options.membership.member,
                                    .session_timeout = options.membership.session_timeout}));
  return std::make_unique<LogSession>(bus, clock, std::move(consumer), std::move(offsets),
                                      std::move(options));
}

LogSession::LogSession(Bus& bus, const Clock& clock, std::unique_ptr<Consumer> consumer,
                       std::unique_ptr<OffsetReader> offsets, LogSessionOptions options)
    : clock_(clock),
      options_(std::move(options)),
      offsets_(std::move(offsets)),
      consumer_(std::move(consumer)),
      dead_letters_(bus),
      last_poll_(clock.Now()) {}

LogSession::~LogSession() = default;

absl::Status LogSession::Join(RebalanceListener* listener) {
  listener_ = listener;
  RebalanceListener* const self = this;
  return consumer_->Subscribe(options_.topic, self);
}

absl::Status LogSession::Poll(const PollLimits& limits, Duration timeout, MessageBatch* batch) {
  if (is_paused_) {
    for (const auto& [partition, held] : held_) {
      if (!held.paused_by_worker) RETURN_IF_ERROR(consumer_->SetPaused(partition, false));
    }
    is_paused_ = false;
  }
  const absl::Status polled = consumer_->Poll(limits, timeout, batch);
  last_poll_ = clock_.Now();
  NotePositions(*batch);
  if (polled.ok()) NoteAge(*batch);
  return Annotate(WithoutCut(polled), fmt::format("read '{}'", options_.topic));
}

absl::Status LogSession::StayInGroup() {
  is_paused_ = true;
  for (const auto& [partition, held] : held_) {
    RETURN_IF_ERROR(consumer_->SetPaused(partition, true));
  }
  MessageBatch none;
  const absl::Status polled = WithoutCut(consumer_->Poll({}, Duration::zero(), &none));
  last_poll_ = clock_.Now();
  if (!none.empty()) return FatalError("poll: messages of a paused partition");
  return IsFenced(polled) ? polled : absl::OkStatus();
}

absl::Status LogSession::SetPaused(PartitionId partition, bool paused) {
  const auto held = held_.find(partition);
  if (held == held_.end()) return FencedError("partition {}: not this worker's", partition);
  if (paused || !is_paused_) RETURN_IF_ERROR(consumer_->SetPaused(partition, paused));
  held->second.paused_by_worker = paused;
  return absl::OkStatus();
}

absl::Status LogSession::WithoutCut(const absl::Status& polled) {
  if (!absl::IsOutOfRange(polled)) return polled;
  Log(LogLevel::kError, options_.module, "{}", MessageOf(polled));
  is_cut_ = true;
  return absl::OkStatus();
}

void LogSession::NotePositions(const MessageBatch& batch) {
  const auto messages = batch.messages();
  for (size_t i = 0; i < messages.size(); ++i) {
    const Message& message = messages[i];
    if (i + 1 < messages.size() && messages[i + 1].partition == message.partition) continue;
    // A partition may have gone within the very Poll.
    const auto held = held_.find(message.partition);
    if (held != held_.end()) held->second.next = message.offset + 1;
  }
}

void LogSession::NoteAge(const MessageBatch& batch) {
  if (batch.empty()) {
    const bool reads_all = std::none_of(
        held_.begin(), held_.end(), [](const auto& held) { return held.second.paused_by_worker; });
    if (reads_all) behind_ = {};
    return;
  }
  const WallTime now = clock_.Wall();
  WallTime oldest = now;  // clocks of brokers may be ahead
  for (const Message& message : batch.messages()) oldest = std::min(oldest, message.time);
  behind_ = now - oldest;
}

absl::StatusOr<std::vector<CutLog>> LogSession::GoOnBehindCuts(const MetadataOf& metadata_of) {
  std::map<PartitionId, Offset> next;
  std::map<PartitionId, std::string> metadata;
  for (const auto& [partition, held] : held_) {
    auto own = metadata_of(partition);
    if (!own.has_value()) continue;
    next[partition] = held.next;
    metadata[partition] = *std::move(own);
  }
  ASSIGN_OR_RETURN(std::vector<CutLog> cuts,
                   FindCuts(*offsets_, options_.topic, next, options_.call_timeout));
  std::vector<OffsetCommit> commits;
  for (const CutLog& cut : cuts) {
    if (options_.membership.on_cut == OnCutLog::kStop) {
      return FatalError(
          "read '{}' partition {}: {} entries from offset {} on were deleted before they were "
          "read. {}; to go on behind them set worker.on_cut_log to `continue`, and "
          "topics.retention to more than workers may be away",
          options_.topic, cut.partition, cut.lost(), cut.next, options_.loss);
    }
    commits.push_back({cut.partition, cut.start, metadata.at(cut.partition)});
  }
  if (!commits.empty()) {
    RETURN_IF_ERROR(Annotate(consumer_->Commit(commits, options_.call_timeout),
                             fmt::format("go on behind what was deleted of '{}'", options_.topic)));
  }
  for (const CutLog& cut : cuts) {
    Log(LogLevel::kError, options_.module,
        "'{}' partition {}: {} entries were deleted before they were read, goes on at offset {}. "
        "{}. Raise topics.retention above the time that workers may be away",
        options_.topic, cut.partition, cut.lost(), cut.start, options_.loss);
    held_.at(cut.partition).next = cut.start;
  }
  is_cut_ = next.size() < held_.size();
  return cuts;
}

absl::Status LogSession::Bury(const Message& message, std::string_view cause) {
  return dead_letters_.Bury(options_.topic, message, cause, options_.call_timeout);
}

absl::Status LogSession::Commit(std::span<const OffsetCommit> commits) {
  return Commit(commits, options_.call_timeout);
}

absl::Status LogSession::Commit(std::span<const OffsetCommit> commits, Duration timeout) {
  RETURN_IF_ERROR(dead_letters_.Settle(timeout));
  if (commits.empty()) return absl::OkStatus();
  return Annotate(consumer_->Commit(commits, timeout), fmt::format("commit '{}'", options_.topic));
}

void LogSession::Close() { consumer_->Close(options_.membership.departure()); }

void LogSession::OnAssigned(std::span<const AssignedPartition> assigned) {
  for (const AssignedPartition& one : assigned) held_[one.partition] = {.next = one.position};
  listener_->OnAssigned(assigned);
}

void LogSession::OnRevoked(std::span<const PartitionId> revoked) {
  listener_->OnRevoked(revoked);
  for (const PartitionId partition : revoked) held_.erase(partition);
}

void LogSession::OnLost(std::span<const PartitionId> lost) {
  for (const PartitionId partition : lost) held_.erase(partition);
  listener_->OnLost(lost);
}

}  // namespace orbweaver
