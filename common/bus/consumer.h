// Reads topics from committed offsets on. Implementations: kafka/ (librdkafka), embedded/ (a
// durable log in RocksDB), memory/ (simulation).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/bus/message.h"

namespace orbweaver {

// `offset` is the first message not yet dealt with. `metadata`, at most 128 bytes of printable
// text, comes back with the partition: workers keep the epoch that they have read up to in it.
struct OffsetCommit {
  PartitionId partition;
  Offset offset;
  std::string metadata;
};

// A partition that is this consumer's now.
struct AssignedPartition {
  PartitionId partition;
  // Where reading starts: the group's committed offset, or the log's start when there is none.
  Offset position;
  // Empty when nothing was committed yet.
  std::string metadata;
  bool has_commit = false;
};

// Called inside Poll and Close, on the caller's thread.
class RebalanceListener {
 public:
  virtual ~RebalanceListener() = default;

  // Messages of these partitions come from the next Poll on: load what they need.
  virtual void OnAssigned(std::span<const AssignedPartition> partitions) = 0;

  // Still this consumer's until the call returns: flush, and commit. Afterwards they may be
  // another's.
  virtual void OnRevoked(std::span<const PartitionId> partitions) = 0;

  // Another may have them already (this consumer was slow, or cut off): drop what is held, commit
  // nothing.
  virtual void OnLost(std::span<const PartitionId> partitions) = 0;
};

struct ConsumerOptions {
  std::string group;
  // Names this member across restarts, so that a quick restart gets its partitions back without a
  // rebalance. Two living members of one name fence each other. Empty: a member without memory.
  std::string member;
  // A member that does not poll for this long loses its partitions.
  Duration session_timeout = std::chrono::seconds(45);
};

// Larger batches fall out of the CPU's caches before they are read: measured on Kafka, 10,000
// messages of 1 KB a batch cost 40 % more CPU a message than 500.
struct PollLimits {
  size_t max_bytes = size_t{1} << 20;
  size_t max_messages = 500;
};

// Used by one thread at a time.
class Consumer {
 public:
  virtual ~Consumer() = default;

  // Joins the group for `topic`: partitions are shared out among its members, and `listener` (which
  // must outlive the consumer) hears of it in Poll. Once, and instead of Assign.
  virtual absl::Status Subscribe(std::string_view topic, RebalanceListener* listener) = 0;

  // Takes exactly these partitions of `topic` from these positions, outside any group's sharing;
  // replaces an earlier Assign. A later Commit is still kept under the group's name.
  virtual absl::Status Assign(std::string_view topic, std::span<const AssignedPartition> from) = 0;

  // Replaces *batch. Returns as soon as there is anything, at most after `timeout`; OK with an
  // empty batch when there was nothing. At least one message comes however large it is. Errors:
  // retry (broker away: it reconnects by itself); OutOfRange (fatal: the log was cut below the
  // position; the message names topic, partition, position and the log's start; the partition is
  // paused, the others go on; committing an offset at or above the start resumes there); fatal
  // (unknown topic).
  virtual absl::Status Poll(const PollLimits& limits, Duration timeout, MessageBatch* batch) = 0;

  // A paused partition keeps its place in the group and returns no messages, not even fetched ones.
  // Survives no rebalance.
  virtual absl::Status SetPaused(PartitionId partition, bool paused) = 0;

  // Waits until the offsets are durable, at most `timeout`. FencedError (IsFenced) when one of the
  // partitions is no longer this member's; then none is committed. An offset below the committed
  // one is taken: going back is the caller's right.
  virtual absl::Status Commit(std::span<const OffsetCommit> commits, Duration timeout) = 0;

  // Leaves the group, after OnRevoked for what is held. Idempotent; the destructor does it when the
  // caller has not, without callbacks.
  virtual void Close() = 0;
};

}  // namespace orbweaver
