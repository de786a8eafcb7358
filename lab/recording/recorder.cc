#include "lab/recording/recorder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/status.h"
#include "common/bus/limits.h"
#include "common/protocol/log_witness.h"
#include "common/url/fingerprint.h"

namespace orbweaver::lab {
namespace {

// It joins no group and commits nothing, but a consumer must name one.
constexpr char kGroup[] = "orbweaver-record";
constexpr PollLimits kLimits{.max_bytes = size_t{4} << 20, .max_messages = 4000};
// Between two looks at whether to go on.
constexpr Duration kPoll = std::chrono::milliseconds(500);

absl::StatusOr<std::unique_ptr<Consumer>> ConsumeFrom(Bus& bus, const LogRangeOf& range,
                                                      Offset position) {
  ASSIGN_OR_RETURN(auto consumer, bus.NewConsumer({.group = kGroup}));
  const AssignedPartition from{.partition = range.partition, .position = position};
  RETURN_IF_ERROR(consumer->Assign(range.topic, {&from, 1}));
  return consumer;
}

absl::StatusOr<LogBounds> BoundsOf(Bus& bus, const LogRangeOf& range, Duration timeout) {
  ASSIGN_OR_RETURN(const auto offsets, bus.NewOffsetReader());
  ASSIGN_OR_RETURN(const auto bounds, offsets->Bounds(range.topic, {&range.partition, 1}, timeout));
  return bounds[0];
}

}  // namespace

bool IsInSample(std::string_view domain, double share) {
  if (share >= 1 || domain.empty()) return true;
  // Not the hash of partitions, of which a sample would have some and not others.
  constexpr double kTwoTo64 = 18446744073709551616.0;
  return static_cast<double>(FingerprintOf(domain).high) < share * kTwoTo64;
}

absl::StatusOr<TopicColumns*> Recorder::ColumnsOf(const std::string& topic) {
  std::unique_ptr<TopicColumns>& columns = columns_[topic];
  if (columns == nullptr) columns = TopicColumns::Make(topic, suffixes_);
  if (columns != nullptr) return columns.get();
  return FatalError("record topic {}: only spider-log, scoring-log and spider-feed can be", topic);
}

absl::Status Recorder::CheckLogs(Bus& bus) {
  for (const LogRangeOf& range : folder_.manifest().partitions) {
    RETURN_IF_ERROR(CheckLog(bus, range));
  }
  return absl::OkStatus();
}

absl::Status Recorder::CheckLog(Bus& bus, const LogRangeOf& range) {
  constexpr std::string_view kHint = "It is another log: record it to a new folder";
  ASSIGN_OR_RETURN(const LogBounds bounds, BoundsOf(bus, range, options_.timeout));
  if (bounds.end < range.end) {
    return FatalError(
        "record {} partition {}: the log ends at offset {}, and {} has it up to {}. {}",
        range.topic, range.partition, bounds.end, folder_.path().string(), range.end, kHint);
  }
  const auto files = folder_.manifest().FilesOf(range.topic, range.partition);
  if (files.empty() || files.back().last_offset < bounds.start) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto consumer, ConsumeFrom(bus, range, files.back().last_offset));
  MessageBatch batch;
  RETURN_IF_ERROR(consumer->Poll({.max_messages = 1}, options_.timeout, &batch));
  if (batch.empty()) {
    return TimeoutError("read {} partition {}: nothing comes from offset {} on", range.topic,
                        range.partition, files.back().last_offset);
  }
  if (WitnessOf(batch.messages().front()).hash.ToHex() == files.back().last_hash) {
    return absl::OkStatus();
  }
  return FatalError("record {} partition {}: at offset {} stands another record than in {}. {}",
                    range.topic, range.partition, files.back().last_offset, folder_.path().string(),
                    kHint);
}

absl::Status Recorder::Record(Bus& bus, const LogRangeOf& range, absl::FunctionRef<bool()> go_on) {
  RETURN_IF_ERROR(ColumnsOf(range.topic).status());
  RETURN_IF_ERROR(folder_.Begin({&range, 1}));
  at_ = *folder_.Position(range.topic, range.partition);
  absl::Status status = at_ < range.end ? ReadOn(bus, range, go_on) : absl::OkStatus();
  const absl::Status finished = FinishFile(range);
  status.Update(finished);
  return status;
}

absl::Status Recorder::ReadOn(Bus& bus, const LogRangeOf& range, absl::FunctionRef<bool()> go_on) {
  ASSIGN_OR_RETURN(auto consumer, ConsumeFrom(bus, range, at_));
  SteadyTime heard = SystemClock().Now();
  MessageBatch batch;
  while (at_ < range.end) {
    if (!go_on()) return absl::OkStatus();
    const absl::Status polled = consumer->Poll(kLimits, std::min(options_.timeout, kPoll), &batch);
    if (absl::IsOutOfRange(polled)) {
      RETURN_IF_ERROR(SkipDeleted(bus, range));
      ASSIGN_OR_RETURN(consumer, ConsumeFrom(bus, range, at_));
      continue;
    }
    RETURN_IF_ERROR(polled);
    if (!batch.empty()) {
      heard = SystemClock().Now();
    } else if (SystemClock().Now() - heard >= options_.timeout) {
      return TimeoutError(
          "read {} partition {}: nothing comes from offset {} on, and the log ends "
          "at {}",
          range.topic, range.partition, at_, range.end);
    }
    RETURN_IF_ERROR(Take(range, batch));
  }
  return absl::OkStatus();
}

absl::Status Recorder::Take(const LogRangeOf& range, const MessageBatch& batch) {
  ASSIGN_OR_RETURN(TopicColumns* const columns, ColumnsOf(range.topic));
  for (const Message& message : batch.messages()) {
    if (message.partition != range.partition || message.offset < at_) continue;
    at_ = std::min(Offset(message.offset.value() + 1), range.end);
    if (message.offset >= range.end) return absl::OkStatus();
    if (!IsWanted(message)) continue;
    if (file_ == nullptr) {
      LogRangeOf rest = range;
      rest.first = folder_.NextFirst(range.topic, range.partition);
      const Manifest& manifest = folder_.manifest();
      ASSIGN_OR_RETURN(
          file_, RecordFileWriter::Create(folder_.path(), manifest.id, manifest.origin.software,
                                          std::move(rest), columns));
    }
    const uint64_t before = file_->raw_bytes();
    if (absl::Status added = file_->Add(message); !added.ok()) {
      file_.reset();
      return added;
    }
    ++records_;
    raw_bytes_ += file_->raw_bytes() - before;
    if (file_->raw_bytes() >= options_.file_bytes) RETURN_IF_ERROR(FinishFile(range));
  }
  return absl::OkStatus();
}

bool Recorder::IsWanted(const Message& message) const {
  if (options_.since && message.time < *options_.since) return false;
  if (options_.until && message.time >= *options_.until) return false;
  return IsInSample(message.key, folder_.manifest().sample);
}

absl::Status Recorder::FinishFile(const LogRangeOf& range) {
  if (file_ == nullptr) {
    folder_.Advance(range.topic, range.partition, at_);
    return absl::OkStatus();
  }
  const std::unique_ptr<RecordFileWriter> file = std::move(file_);
  ASSIGN_OR_RETURN(const RecordedFile finished, file->Finish(at_));
  return folder_.Add(finished);
}

absl::Status Recorder::SkipDeleted(Bus& bus, const LogRangeOf& range) {
  ASSIGN_OR_RETURN(const LogBounds bounds, BoundsOf(bus, range, options_.timeout));
  if (bounds.start <= at_) {
    return FatalError("read {} partition {}: the log ends at offset {}, below {}", range.topic,
                      range.partition, bounds.end, at_);
  }
  RETURN_IF_ERROR(FinishFile(range));
  RETURN_IF_ERROR(folder_.AddGap(range.topic, range.partition, bounds.start));
  at_ = bounds.start;
  return absl::OkStatus();
}

}  // namespace orbweaver::lab
