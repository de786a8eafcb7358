#include "common/bus/memory/memory_wire.h"

#include <algorithm>

#include "common/base/status.h"

namespace orbweaver {

MemoryWire::Queue& MemoryWire::QueueOf(PartitionLog* log) {
  const auto found =
      std::find_if(queues_.begin(), queues_.end(), [&](const Queue& q) { return q.log == log; });
  return found != queues_.end() ? *found : queues_.emplace_back(Queue{log, {}});
}

void MemoryWire::Push(PartitionLog* log, Sent sent) {
  Queue& queue = QueueOf(log);
  if (!queue.records.empty()) {
    const Sent& before = queue.records.back().sent;
    sent.append_at = std::max(sent.append_at, before.append_at);
    sent.ack_at = std::max(sent.ack_at, before.ack_at);
  }
  bytes_ += sent.record->bytes();
  ++in_flight_;
  queue.records.push_back({std::move(sent), std::nullopt});
}

void MemoryWire::Advance(SteadyTime now, bool reachable) {
  if (in_flight_ == 0) return;
  bool failed = false;
  for (Queue& queue : queues_) {
    auto& records = queue.records;
    while (reachable && queue.appended < records.size() &&
           records[queue.appended].sent.append_at <= now) {
      InFlight& next = records[queue.appended];
      if (!next.sent.reaches_log) {
        failed = true;
        break;
      }
      ++queue.appended;
      next.offset = queue.log->Append(next.sent.record);
    }
    while (reachable && queue.appended > 0 && records.front().sent.ack_at <= now) {
      const InFlight& front = records.front();
      if (front.sent.is_lost) {
        failed = true;
        break;
      }
      const size_t record_bytes = front.sent.record->bytes();
      if (abandoned_) {
        bytes_ -= record_bytes;
      } else {
        const Sent& sent = front.sent;
        acks_.push_back(
            {{sent.token, sent.partition, *front.offset, absl::OkStatus()}, record_bytes});
      }
      records.pop_front();
      --queue.appended;
      --in_flight_;
    }
    if (!abandoned_ && !records.empty() && records.front().sent.give_up_at <= now) failed = true;
  }
  if (failed) Fail();
}

void MemoryWire::Fail() {
  failed_ = true;
  for (Queue& queue : queues_) {
    for (const InFlight& record : queue.records) {
      const Sent& sent = record.sent;
      const size_t record_bytes = sent.record->bytes();
      if (abandoned_) {
        bytes_ -= record_bytes;
      } else {
        acks_.push_back({{sent.token, sent.partition, Offset(-1),
                          FencedError("produce to partition {}: given up, it may be in the log",
                                      sent.partition)},
                         record_bytes});
      }
    }
    queue.records.clear();
    queue.appended = 0;
  }
  in_flight_ = 0;
}

std::optional<SteadyTime> MemoryWire::NextEvent(SteadyTime now) const {
  std::optional<SteadyTime> next;
  auto consider = [&](SteadyTime at) {
    if (at > now) next = std::min(next.value_or(at), at);
  };
  for (const Queue& queue : queues_) {
    if (queue.records.empty()) continue;
    if (queue.appended > 0) consider(queue.records.front().sent.ack_at);
    if (queue.appended < queue.records.size()) {
      consider(queue.records[queue.appended].sent.append_at);
    }
    consider(queue.records.front().sent.give_up_at);
  }
  return next;
}

void MemoryWire::Abandon(Random* random) {
  abandoned_ = true;
  for (const ReadyAck& ready : acks_) bytes_ -= ready.bytes;
  acks_.clear();
  for (Queue& queue : queues_) {
    const size_t waiting = queue.records.size() - queue.appended;
    for (size_t dropped = random->Below(waiting + 1); dropped > 0; --dropped) {
      bytes_ -= queue.records.back().sent.record->bytes();
      --in_flight_;
      queue.records.pop_back();
    }
  }
}

Ack MemoryWire::TakeAck() {
  Ack ack = std::move(acks_.front().ack);
  bytes_ -= acks_.front().bytes;
  acks_.pop_front();
  return ack;
}

}  // namespace orbweaver
