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

// The first message of [start, end) that was written at `time` or later, given that times grow
// along the log.
absl::StatusOr<Offset> FirstSince(Bus& bus, std::string_view topic, PartitionId partition,
                                  LogBounds within, WallTime time, Duration timeout) {
  Offset low = within.start;
  Offset high = within.end;
  MessageBatch batch;
  while (low < high) {
    const Offset middle = low + (high - low) / 2;
    const AssignedPartition from{.partition = partition, .position = middle};
    ASSIGN_OR_RETURN(const auto consumer, ConsumeFrom(bus, topic, {&from, 1}));
    RETURN_IF_ERROR(consumer->Poll({.max_messages = 1}, timeout, &batch));
    if (batch.empty()) {
      return TimeoutError("read topic {} partition {}: nothing comes from offset {} on", topic,
                          partition, middle);
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

}  // namespace

absl::StatusOr<std::map<PartitionId, LogBounds>> FindBounds(Bus& bus, const LogRange& range,
                                                            Duration timeout) {
  ASSIGN_OR_RETURN(const int count, bus.PartitionCount(range.topic, timeout));
  if (count == 0) return FatalError("read topic {}: it does not exist", range.topic);
  std::vector<PartitionId> partitions;
  for (int i = 0; i < count; ++i) {
    if (!range.partition.has_value() || *range.partition == PartitionId(i)) {
      partitions.emplace_back(i);
    }
  }
  if (partitions.empty()) {
    return FatalError("read topic {}: it has {} partitions, none is {}", range.topic, count,
                      *range.partition);
  }
  ASSIGN_OR_RETURN(const auto offsets, bus.NewOffsetReader());
  ASSIGN_OR_RETURN(const auto bounds, offsets->Bounds(range.topic, partitions, timeout));
  std::map<PartitionId, LogBounds> found;
  for (size_t i = 0; i < partitions.size(); ++i) {
    LogBounds within = bounds[i];
    if (range.to.has_value()) within.end = std::min(within.end, Offset(*range.to));
    if (range.from.has_value()) within.start = std::max(within.start, Offset(*range.from));
    if (range.last.has_value()) {
      within.start = std::max(within.start, Offset(within.end.value() - *range.last));
    }
    if (range.since.has_value() && within.start < within.end) {
      ASSIGN_OR_RETURN(within.start,
                       FirstSince(bus, range.topic, partitions[i], within, *range.since, timeout));
    }
    if (range.until.has_value() && within.start < within.end) {
      ASSIGN_OR_RETURN(within.end,
                       FirstSince(bus, range.topic, partitions[i], within, *range.until, timeout));
    }
    found[partitions[i]] = within;
  }
  return found;
}

absl::Status LogReader::Read(Bus& bus, Duration timeout,
                             absl::FunctionRef<bool(const Message&)> visit) {
  if (!begun_) {
    ASSIGN_OR_RETURN(const auto bounds, FindBounds(bus, range_, timeout));
    for (const auto& [partition, within] : bounds) {
      stretches_[partition] = {.next = within.start, .end = within.end};
    }
    begun_ = true;
  }
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

absl::Status LogReader::SkipDeleted(Bus& bus, Duration timeout) {
  ASSIGN_OR_RETURN(const auto offsets, bus.NewOffsetReader());
  for (auto& [partition, stretch] : stretches_) {
    ASSIGN_OR_RETURN(const auto bounds, offsets->Bounds(range_.topic, {&partition, 1}, timeout));
    stretch.next = std::max(stretch.next, bounds[0].start);
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
