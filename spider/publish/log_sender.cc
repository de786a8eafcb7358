#include "spider/publish/log_sender.h"

#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/url/partition.h"

namespace orbweaver {

absl::StatusOr<std::unique_ptr<LogSender>> LogSender::Create(Bus& bus, int partitions) {
  std::unique_ptr<LogSender> sender(new LogSender(partitions));
  ASSIGN_OR_RETURN(sender->producer_, bus.NewProducer({}, [sender = sender.get()](const Ack& ack) {
    sender->OnAck(ack);
  }));
  return sender;
}

void LogSender::Add(SendId id, LogEntries entries) {
  CHECK(!entries.empty());
  if (id != SendId()) CHECK(missing_.emplace(id, entries.size()).second);
  queued_bytes_ += entries.bytes();
  queue_.push_back({.id = id, .entries = std::move(entries)});
}

absl::Status LogSender::Send() {
  while (failure_.ok() && !queue_.empty()) {
    Queued& next = queue_.front();
    absl::Status status;
    while (next.sent < next.entries.size()) {
      const LogEntries::Entry entry = next.entries[next.sent];
      status = producer_->Send({.topic = kSpiderLogTopic,
                                .partition = PartitionOf(entry.slot, partitions_),
                                .key = entry.domain,
                                .value = entry.value},
                               next.id.value());
      if (!status.ok()) break;
      ++next.sent;
      ++unacked_;
    }
    if (absl::IsResourceExhausted(status)) break;
    if (!status.ok()) {
      // A lost record is reported by its ack, too.
      producer_->Poll(Duration{});
      return failure_.ok() ? status : failure_;
    }
    queued_bytes_ -= next.entries.bytes();
    queue_.pop_front();
  }
  producer_->Poll(Duration{});
  return failure_;
}

void LogSender::OnAck(const Ack& ack) {
  --unacked_;
  if (!ack.status.ok()) {
    if (!failure_.ok()) return;
    failure_ = Annotate(ack.status, "append to spider log");
    if (IsFenced(failure_)) {
      failure_ = FencedError("{}. Requests whose outcome may not be in the log are fetched again",
                             MessageOf(failure_));
    }
    return;
  }
  const SendId id(ack.token);
  if (id == SendId()) return;
  const auto found = missing_.find(id);
  if (--found->second > 0) return;
  missing_.erase(found);
  arrived_.push_back(id);
}

std::vector<SendId> LogSender::TakeArrived() { return std::exchange(arrived_, {}); }

}  // namespace orbweaver
