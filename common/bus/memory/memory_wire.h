// The records of one producer on their way to the log, and their acks on the way back to the
// caller.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/clock.h"
#include "common/base/random.h"
#include "common/bus/memory/memory_log.h"
#include "common/bus/producer.h"

namespace orbweaver {

// Goes on after its producer died, as bytes in a socket do.
//
// Place: inside MemoryBroker, whose lock guards it.
class MemoryWire {
 public:
  struct Sent {
    uint64_t token;
    PartitionId partition;
    std::shared_ptr<const StoredRecord> record;
    SteadyTime append_at;  // not before the record sent before it to this partition
    SteadyTime ack_at;     // likewise
    SteadyTime give_up_at;
    // The producer is to give it up; then it reaches the log or not.
    bool is_lost = false;
    bool reaches_log = true;
  };

  void Push(PartitionLog* log, Sent sent);

  // Appends what has arrived by `now`, and readies the acks that are back. While not `reachable`
  // nothing moves, except that records are given up.
  void Advance(SteadyTime now, bool reachable);
  // When Advance has something to do after `now`, if ever.
  std::optional<SteadyTime> NextEvent(SteadyTime now) const;

  // The producer is gone: what was not yet appended arrives up to a point that is drawn for each
  // partition, and nobody hears of it.
  void Abandon(Random* random);
  bool IsAbandonedAndEmpty() const { return abandoned_ && bytes_ == 0 && in_flight_ == 0; }

  // Acks to deliver; the caller takes them one by one with TakeAck.
  bool HasAck() const { return !acks_.empty(); }
  Ack TakeAck();

  // Records without a delivered ack.
  size_t outstanding() const { return in_flight_ + acks_.size(); }
  size_t bytes() const { return bytes_; }
  // A record was lost: nothing may follow it.
  bool failed() const { return failed_; }

 private:
  struct InFlight {
    Sent sent;
    std::optional<Offset> offset;  // once appended
  };
  struct Queue {
    PartitionLog* log;
    std::deque<InFlight> records;  // the appended ones first
    size_t appended = 0;
  };
  struct ReadyAck {
    Ack ack;
    size_t bytes;
  };

  Queue& QueueOf(PartitionLog* log);
  void Fail();

  std::vector<Queue> queues_;  // in the order of first use, so that runs repeat
  std::deque<ReadyAck> acks_;
  size_t in_flight_ = 0;
  size_t bytes_ = 0;
  bool failed_ = false;
  bool abandoned_ = false;
};

}  // namespace orbweaver
