#include "cli/frontier/log_reader.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "common/base/status.h"

namespace orbweaver {
namespace {

// It joins no group and commits nothing, but a consumer must name one.
constexpr char kGroup[] = "orbweaver-log";

absl::StatusOr<std::unique_ptr<Consumer>> ConsumeFrom(Bus& bus, std::string_view topic,
                                                      std::span<const AssignedPartition> from) {
  ASSIGN_OR_RETURN(auto consumer, bus.NewConsumer({.group = kGroup}));
  RETURN_IF_ERROR(consumer->Assign(topic, from));
  return consumer;
}

}  // namespace

absl::Status LogReader::Read(Bus& bus, Duration timeout,
                             absl::FunctionRef<bool(const Message&)> visit) {
  if (!begun_) RETURN_IF_ERROR(FindStretches(bus, timeout));
  begun_ = true;
  if (done()) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto consumer, Consume(bus));
  SteadyTime heard = SystemClock().Now();
  MessageBatch batch;
  while (!done()) {
    const absl::Status polled = consumer->Poll({}, timeout, &batch);
    if (absl::IsOutOfRange(polled)) {
      RETURN_IF_ERROR(SkipDeleted(bus, timeout));
      ASSIGN_OR_RETURN(consumer, Consume(bus));
      continue;
    }
    RETURN_IF_ERROR(polled);
    if (!batch.empty()) heard = SystemClock().Now();
    if (batch.empty() && SystemClock().Now() - heard >= timeout) {
      return TimeoutError("read topic {}: no messages come, though the log has some", range_.topic);
    }
    for (const Message& message : batch.messages()) {
      const auto found = stretches_.find(message.partition);
      if (found == stretches_.end()) continue;
      Stretch& stretch = found->second;
      if (message.offset < stretch.next || message.offset >= stretch.end) continue;
      stretch.next = message.offset + 1;
      if (range_.since.has_value() && message.time < *range_.since) continue;
      if (range_.until.has_value() && message.time >= *range_.until) continue;
      if (!visit(message)) return absl::OkStatus();
    }
    // A log that ends with what is no message (a transaction's end) has no more to give.
    if (batch.empty()) RETURN_IF_ERROR(SkipDeleted(bus, timeout));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Consumer>> LogReader::Consume(Bus& bus) const {
  std::vector<AssignedPartition> from;
  for (const auto& [partition, stretch] : stretches_) {
    if (stretch.next < stretch.end)
      from.push_back({.partition = partition, .position = stretch.next});
  }
  return ConsumeFrom(bus, range_.topic, from);
}

bool LogReader::done() const {
  return std::all_of(stretches_.begin(), stretches_.end(),
                     [](const auto& entry) { return entry.second.next >= entry.second.end; });
}

absl::Status LogReader::FindStretches(Bus& bus, Duration timeout) {
  ASSIGN_OR_RETURN(const int count, bus.PartitionCount(range_.topic, timeout));
  if (count == 0) return FatalError("read topic {}: there is none", range_.topic);
  std::vector<PartitionId> partitions;
  for (int i = 0; i < count; ++i) {
    if (!range_.partition.has_value() || *range_.partition == PartitionId(i)) {
      partitions.emplace_back(i);
    }
  }
  if (partitions.empty()) {
    return FatalError("read topic {}: it has {} partitions, none is {}", range_.topic, count,
                      *range_.partition);
  }
  ASSIGN_OR_RETURN(const auto offsets, bus.NewOffsetReader());
  ASSIGN_OR_RETURN(const auto bounds, offsets->Bounds(range_.topic, partitions, timeout));
  std::map<PartitionId, Stretch> stretches;
  for (size_t i = 0; i < partitions.size(); ++i) {
    LogBounds within = bounds[i];
    if (range_.to.has_value()) within.end = std::min(within.end, Offset(*range_.to));
    if (range_.from.has_value()) within.start = std::max(within.start, Offset(*range_.from));
    if (range_.last.has_value()) {
      within.start = std::max(within.start, Offset(within.end.value() - *range_.last));
    }
    if (range_.since.has_value() && within.start < within.end) {
      ASSIGN_OR_RETURN(within.start,
                       FirstSince(bus, partitions[i], within, *range_.since, timeout));
    }
    if (range_.until.has_value() && within.start < within.end) {
      ASSIGN_OR_RETURN(within.end, FirstSince(bus, partitions[i], within, *range_.until, timeout));
    }
    stretches[partitions[i]] = {.next = within.start, .end = within.end};
  }
  stretches_ = std::move(stretches);
  return absl::OkStatus();
}

absl::StatusOr<Offset> LogReader::FirstSince(Bus& bus, PartitionId partition, LogBounds within,
                                             WallTime time, Duration timeout) const {
  Offset low = within.start;
  Offset high = within.end;
  MessageBatch batch;
  while (low < high) {
    const Offset middle = low + (high - low) / 2;
    const AssignedPartition from{.partition = partition, .position = middle};
    ASSIGN_OR_RETURN(const auto consumer, ConsumeFrom(bus, range_.topic, {&from, 1}));
    RETURN_IF_ERROR(consumer->Poll({.max_messages = 1}, timeout, &batch));
    if (batch.empty()) {
      return TimeoutError("read topic {} partition {}: nothing comes from offset {} on",
                          range_.topic, partition, middle);
    }
    const Message& message = batch.messages().front();
    if (message.time >= time) {
      high = middle;
    } else {
      low = message.offset + 1;
    }
  }
  return low;
}

absl::Status LogReader::SkipDeleted(Bus& bus, Duration timeout) {
  ASSIGN_OR_RETURN(const auto offsets, bus.NewOffsetReader());
  for (auto& [partition, stretch] : stretches_) {
    ASSIGN_OR_RETURN(const auto bounds, offsets->Bounds(range_.topic, {&partition, 1}, timeout));
    stretch.next = std::max(stretch.next, bounds[0].start);
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
