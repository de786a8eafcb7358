#include "common/protocol/owned_log.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/arena.h"
#include "common/model/scoring_log.h"
#include "common/model/spider_feed.h"

namespace orbweaver {
namespace {

constexpr uint64_t kEntryToken = 0;  // markers have one of their own each

absl::StatusOr<std::string_view> EncodeMarker(std::string_view topic, const Marker& marker,
                                              EncodeBuffer* buffer) {
  if (topic == kSpiderFeedTopic) return Encode(SpiderFeedEntry{.entry = marker}, buffer);
  return Encode(ScoringLogEntry{.entry = marker}, buffer);
}

// A record that cannot be decoded is not a marker.
bool IsMarker(std::string_view topic, const Message& message, Arena* arena) {
  if (!message.key.empty()) return false;
  arena->Reset();
  if (topic == kSpiderFeedTopic) {
    SpiderFeedEntry entry;
    return Decode(message.value, arena, &entry).ok() && std::holds_alternative<Marker>(entry.entry);
  }
  ScoringLogEntry entry;
  return Decode(message.value, arena, &entry).ok() && std::holds_alternative<Marker>(entry.entry);
}

}  // namespace

OwnedLog::OwnedLog(Bus& bus, const Clock& clock, OwnedLogOptions options)
    : bus_(bus), clock_(clock), options_(std::move(options)) {
  CHECK(options_.topic == kSpiderFeedTopic || options_.topic == kScoringLogTopic);
}

OwnedLog::~OwnedLog() = default;

absl::StatusOr<std::unique_ptr<OwnedLog>> OwnedLog::Create(Bus& bus, const Clock& clock,
                                                           OwnedLogOptions options) {
  std::unique_ptr<OwnedLog> log(new OwnedLog(bus, clock, std::move(options)));
  ASSIGN_OR_RETURN(log->producer_,
                   bus.NewProducer(log->options_.producer,
                                   [raw = log.get()](const Ack& ack) { raw->OnAck(ack); }));
  return log;
}

absl::StatusOr<Offset> OwnedLog::TakeOver(PartitionId partition, Duration timeout) {
  const SteadyTime deadline = clock_.Now() + timeout;
  marker_offset_ = Offset(-1);
  std::string_view marker;
  // An ack without an offset leaves the epoch unknown; the next marker's is then higher.
  while (marker_offset_ < Offset(0)) {
    ASSIGN_OR_RETURN(
        marker,
        EncodeMarker(options_.topic, Marker{.owner = options_.owner, .written_at = clock_.Wall()},
                     &buffer_));
    marker_token_ = next_token_++;
    RETURN_IF_ERROR(
        Annotate(Send(partition, {}, marker, marker_token_, deadline - clock_.Now()), "take over"));
    RETURN_IF_ERROR(Annotate(AwaitAcks(deadline - clock_.Now()), "take over"));
  }
  owned_[partition] = {.marker = WitnessOfMarker(partition, marker_offset_, marker),
                       .epoch = marker_offset_,
                       .written_to = marker_offset_ + 1,
                       .checked_to = marker_offset_ + 1,
                       .own_since_check = 0};
  return marker_offset_;
}

void OwnedLog::Release(PartitionId partition) { owned_.erase(partition); }

absl::Status OwnedLog::Append(PartitionId partition, std::string_view key, std::string_view value,
                              Duration timeout) {
  return Send(partition, key, value, kEntryToken, timeout);
}

absl::Status OwnedLog::Send(PartitionId partition, std::string_view key, std::string_view value,
                            uint64_t token, Duration timeout) {
  const Record record{.topic = options_.topic, .partition = partition, .key = key, .value = value};
  absl::Status sent = producer_->Send(record, token);
  if (sent.ok() || !IsRetry(sent)) return sent;
  const SteadyTime deadline = clock_.Now() + timeout;
  while (IsRetry(sent)) {
    const Duration left = deadline - clock_.Now();
    if (left <= Duration::zero()) return sent;
    producer_->Poll(left);
    sent = producer_->Send(record, token);
  }
  return sent;
}

absl::Status OwnedLog::AppendMany(PartitionId partition, std::span<const KeyValue>* records,
                                  Duration timeout) {
  const SteadyTime deadline = clock_.Now() + timeout;
  while (!records->empty()) {
    ASSIGN_OR_RETURN(const size_t taken,
                     producer_->SendMany(options_.topic, partition, *records, kEntryToken));
    *records = records->subspan(taken);
    if (records->empty()) break;
    const Duration left = deadline - clock_.Now();
    if (left <= Duration::zero()) {
      return TimeoutError("append to '{}': the byte budget is full", options_.topic);
    }
    producer_->Poll(left);
  }
  return absl::OkStatus();
}

absl::Status OwnedLog::AwaitAcks(Duration timeout) {
  absl::Status flushed = producer_->Flush(std::max(timeout, Duration::zero()));
  RETURN_IF_ERROR(failure_);
  return flushed;
}

void OwnedLog::OnAck(const Ack& ack) {
  if (!ack.status.ok()) {
    if (failure_.ok()) failure_ = ack.status;
    return;
  }
  if (ack.token != kEntryToken) {
    if (ack.token == marker_token_) marker_offset_ = ack.offset;
    return;
  }
  const auto it = owned_.find(ack.partition);
  if (it == owned_.end() || ack.offset < Offset(0)) return;
  Owned& owned = it->second;
  owned.written_to = std::max(owned.written_to, ack.offset + 1);
  if (ack.offset >= owned.checked_to) ++owned.own_since_check;
}

absl::Status OwnedLog::CheckStillOwner(std::span<const PartitionId> partitions, Duration timeout) {
  if (partitions.empty()) return absl::OkStatus();
  const SteadyTime deadline = clock_.Now() + timeout;
  if (offsets_ == nullptr) {
    ASSIGN_OR_RETURN(offsets_, bus_.NewOffsetReader());
  }
  ASSIGN_OR_RETURN(const std::vector<LogBounds> bounds,
                   offsets_->Bounds(options_.topic, partitions, timeout));
  for (size_t i = 0; i < partitions.size(); ++i) {
    const auto it = owned_.find(partitions[i]);
    if (it == owned_.end()) {
      return FencedError("topic '{}' partition {}: released", options_.topic, partitions[i]);
    }
    Owned& owned = it->second;
    const Offset end = bounds[i].end;
    if (end < owned.written_to) {
      return FatalError(
          "topic '{}' partition {}: ends at {}, below {}, which this worker wrote. {}",
          options_.topic, partitions[i], end, owned.written_to, kForeignLogHint);
    }
    // Between the two stands nothing but what was acked to us.
    if (end - owned.checked_to != owned.own_since_check) {
      if (bounds[i].start > owned.checked_to) {
        return FencedError(
            "topic '{}' partition {}: others wrote to it, and retention has deleted what at {}",
            options_.topic, partitions[i], owned.checked_to);
      }
      RETURN_IF_ERROR(LookForMarker(partitions[i], owned.checked_to, end, deadline));
    }
    owned.checked_to = end;
    owned.own_since_check = 0;
  }
  return absl::OkStatus();
}

absl::Status OwnedLog::LookForMarker(PartitionId partition, Offset from, Offset to,
                                     SteadyTime deadline) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Consumer> consumer,
                   bus_.NewConsumer({.group = kOwnerCheckGroup}));
  const AssignedPartition start{.partition = partition, .position = from};
  RETURN_IF_ERROR(consumer->Assign(options_.topic, {&start, 1}));
  Arena arena;
  MessageBatch batch;
  while (from < to) {
    const Duration left = deadline - clock_.Now();
    if (left <= Duration::zero()) {
      return TimeoutError("look for a later owner in topic '{}' partition {}: read up to {} of {}",
                          options_.topic, partition, from, to);
    }
    RETURN_IF_ERROR(consumer->Poll({}, left, &batch));
    for (const Message& message : batch.messages()) {
      from = message.offset + 1;
      if (IsMarker(options_.topic, message, &arena)) {
        return FencedError("topic '{}' partition {}: a later owner's marker stands at {}",
                           options_.topic, partition, message.offset);
      }
    }
  }
  return absl::OkStatus();
}

const LogWitness& OwnedLog::MarkerOf(PartitionId partition) const {
  const auto it = owned_.find(partition);
  CHECK(it != owned_.end());
  return it->second.marker;
}

Offset OwnedLog::WrittenTo(PartitionId partition) const {
  const auto it = owned_.find(partition);
  CHECK(it != owned_.end());
  return it->second.written_to;
}

}  // namespace orbweaver
