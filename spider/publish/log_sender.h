// Brings entries into the spider log, and tells when all of a request's are there.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/strong_int.h"
#include "common/bus/bus.h"
#include "spider/publish/log_entries.h"

namespace orbweaver {

// The caller's number; 0 for entries whose arrival nobody waits for.
using SendId = StrongInt<struct SendIdTag, uint64_t>;

// Place: spider core, between outcomes and the offset tracker. Never blocks: what the producer does
// not take yet waits here, and `queued_bytes` is what the core bounds. After a fatal error it is of
// no use any more: of what was not acked nobody knows whether it is in the log. Not thread-safe.
class LogSender {
 public:
  // `partitions` of the spider log. `bus` must outlive this.
  static absl::StatusOr<std::unique_ptr<LogSender>> Create(Bus& bus, int partitions);

  // `entries` must not be empty, and its id, unless 0, not under way.
  void Add(SendId id, LogEntries entries);

  // Hands over what the producer takes, and collects acks. FencedError when the producer has lost
  // something: the worker begins anew from its committed offsets.
  absl::Status Send();

  // Ids whose entries are all in the log, since the last call.
  std::vector<SendId> TakeArrived();

  // Not yet handed to the producer.
  size_t queued_bytes() const { return queued_bytes_; }
  // Nothing waits, here or for an ack.
  bool idle() const { return queue_.empty() && unacked_ == 0; }

 private:
  struct Queued {
    SendId id;
    LogEntries entries;
    size_t sent = 0;
  };

  explicit LogSender(int partitions) : partitions_(partitions) {}
  void OnAck(const Ack& ack);

  const int partitions_;
  std::unique_ptr<Producer> producer_;
  std::deque<Queued> queue_;
  size_t queued_bytes_ = 0;
  absl::flat_hash_map<SendId, size_t> missing_;  // acks, of each id
  size_t unacked_ = 0;                           // entries
  std::vector<SendId> arrived_;
  absl::Status failure_;  // of an ack; for ever
};

}  // namespace orbweaver
