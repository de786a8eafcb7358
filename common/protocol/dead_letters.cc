#include "common/protocol/dead_letters.h"

#include <string>
#include <vector>

#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/limits.h"
#include "common/bus/topics.h"

namespace orbweaver {
namespace {

constexpr PartitionId kOnlyPartition{0};
// A cause quotes what was found, and that came from outside.
constexpr size_t kMaxCauseBytes = 1024;
constexpr size_t kMaxOwnHeaderBytes = 2048;
constexpr size_t kMaxKeyBytes = 4096;
constexpr size_t kMaxForeignHeaderBytes = 64 << 10;

}  // namespace

DeadLetters::~DeadLetters() = default;

absl::Status DeadLetters::Bury(std::string_view topic, const Message& message,
                               std::string_view cause, Duration timeout) {
  if (producer_ == nullptr) {
    ASSIGN_OR_RETURN(producer_, bus_.NewProducer({}, [this](const Ack& ack) {
      if (!ack.status.ok() && failure_.ok()) failure_ = ack.status;
    }));
  }
  const std::string partition = fmt::format("{}", message.partition);
  const std::string offset = fmt::format("{}", message.offset);
  const std::string size = fmt::format("{}", message.value.size());
  std::vector<Header> headers = {{kDeadLetterTopicHeader, topic},
                                 {kDeadLetterPartitionHeader, partition},
                                 {kDeadLetterOffsetHeader, offset},
                                 {kDeadLetterCauseHeader, cause.substr(0, kMaxCauseBytes)}};
  // Whatever came must go in, or it would stand in the way for ever: a foreign client's record may
  // be larger than ours may be, with our headers on top, and have headers that we may not write.
  const std::string_view key = message.key.substr(0, kMaxKeyBytes);
  std::string_view value = message.value;
  size_t bytes = key.size() + kMaxOwnHeaderBytes;
  for (const Header& header : message.headers) {
    const size_t more = header.name.size() + header.value.size();
    if (bytes + more > kMaxOwnHeaderBytes + kMaxKeyBytes + kMaxForeignHeaderBytes) break;
    headers.push_back(header);
    if (CheckRecord({.topic = kDeadLetterTopic, .headers = headers}).ok()) {
      bytes += more;
    } else {
      headers.pop_back();
    }
  }
  if (bytes + value.size() > kMaxRecordBytes) {
    value = value.substr(0, kMaxRecordBytes - bytes);
    headers.push_back({kDeadLetterCutHeader, size});
  }
  const Record record{.topic = kDeadLetterTopic,
                      .partition = kOnlyPartition,
                      .key = key,
                      .value = value,
                      .headers = headers};
  absl::Status sent = producer_->Send(record, 0);
  if (IsRetry(sent)) {
    producer_->Poll(timeout);
    RETURN_IF_ERROR(failure_);
    sent = producer_->Send(record, 0);
  }
  RETURN_IF_ERROR(Annotate(sent, "dead letter"));
  ++buried_;
  unsettled_ = true;
  return absl::OkStatus();
}

absl::Status DeadLetters::Settle(Duration timeout) {
  if (!unsettled_) return absl::OkStatus();
  const absl::Status flushed = producer_->Flush(timeout);
  RETURN_IF_ERROR(Annotate(failure_, "dead letter"));
  RETURN_IF_ERROR(Annotate(flushed, "dead letter"));
  unsettled_ = false;
  return absl::OkStatus();
}

}  // namespace orbweaver
