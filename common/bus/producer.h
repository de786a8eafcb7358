// Appends to topics. Implementations: kafka/ (librdkafka), embedded/ (a durable log in RocksDB),
// memory/ (simulation).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/bus/message.h"

namespace orbweaver {

// The result of sending one record. A failure is never of the kind retry: the producer itself
// retries, in order, until the delivery timeout. Then it is Fenced (IsFenced): given up, it may be
// in the log, and its sender begins anew with another producer. Fatal: another would fare no better
// (no such topic, no right to write, a record that is not taken, a broken disk).
struct Ack {
  uint64_t token;
  PartitionId partition;
  // Where it stands in the log, when `status` is OK; -1 when that is not known: a retry found it
  // there already.
  Offset offset;
  absl::Status status;
};

using AckHandler = std::function<void(const Ack&)>;

inline constexpr Duration kDefaultDeliveryTimeout = std::chrono::minutes(2);

struct ProducerOptions {
  // Records whose ack was not delivered yet, keys and values together. Sending past it is refused,
  // which is the back-pressure. One record larger than that is taken when there is no other.
  size_t max_bytes = size_t{32} << 20;
  // After this long without an ack for a partition that waits for some, all that is outstanding, of
  // all partitions, is given up. Nothing: the bus's own, kDefaultDeliveryTimeout or an option of
  // it.
  std::optional<Duration> delivery_timeout = {};
};

// Used by one thread at a time. Idempotent: a record is in the log once, however often its sending
// was retried. Within a partition records stand in the order in which they were sent. Acks are
// delivered by Poll and Flush, on the caller's thread, in order within a partition; every record
// that Send took gets exactly one. The handler may Send, and must not Poll or Flush. Destroying the
// producer forgets what is not acked: it may be in the log or not.
class Producer {
 public:
  virtual ~Producer() = default;

  // Copies the record and returns at once; never blocks. `token` comes back with its ack.
  // ResourceExhausted (retry) when the byte budget is full: Poll, then send again. Fatal: record
  // larger than kMaxRecordBytes; unknown topic or partition (where that is not known at once, the
  // ack says it). As its ack said: an earlier record failed, and nothing may follow it.
  virtual absl::Status Send(const Record& record, uint64_t token) = 0;

  // As Send for each of `records`, in order, without headers. Returns how many were taken: fewer
  // than all when the byte budget is full. An error is fatal, and records before it may have been
  // taken. Saves much of what single records cost where a bus can take many at once.
  virtual absl::StatusOr<size_t> SendMany(std::string_view topic, PartitionId partition,
                                          std::span<const KeyValue> records, uint64_t token);

  // Delivers the acks there are; waits at most `timeout` for the first.
  virtual void Poll(Duration timeout) = 0;

  // Delivers acks until none is outstanding; DeadlineExceeded (retry) when some still are after
  // `timeout`.
  virtual absl::Status Flush(Duration timeout) = 0;
};

}  // namespace orbweaver
