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

// `offset` is the first message not yet dealt with. `metadata`, at most kMaxCommitMetadataBytes of
// printable ASCII, comes back with the partition: workers keep the epoch that they have read up to
// in it, spiders also who rests.
struct OffsetCommit {
  PartitionId partition;
  Offset offset;
  std::string metadata;
};

inline constexpr size_t kMaxCommitMetadataBytes = 4000;  // brokers take 4,096

// A partition that is this consumer's now.
struct AssignedPartition {
  PartitionId partition;
  // Where reading starts: the group's committed offset, or the log's start when there is none.
  Offset position;
  // Empty when nothing was committed yet.
  std::string metadata;
  bool has_commit = false;
};

// Called inside Poll and Close, on the caller's thread. All three may call Commit, SetPaused and
// other objects, but not Poll or Close. Of partitions that stay with a member over a rebalance it
// either hears nothing, or that they were revoked and assigned again.
class RebalanceListener {
 public:
  virtual ~RebalanceListener() = default;

  // Messages of these partitions come from the next Poll on: load what they need.
  virtual void OnAssigned(std::span<const AssignedPartition> partitions) = 0;

  // Still this consumer's until the call returns: flush, and commit. Afterwards they may be
  // another's, and a Commit of them is refused.
  virtual void OnRevoked(std::span<const PartitionId> partitions) = 0;

  // Another may have them already (this consumer was slow, or cut off): drop what is held, commit
  // nothing.
  virtual void OnLost(std::span<const PartitionId> partitions) = 0;
};

struct ConsumerOptions {
  std::string group;
  // Names this member across restarts, so that a quick restart gets its partitions back without a
  // rebalance: its place is kept for the session timeout, also after Close(kForNow). Of two living
  // members of one name the later fences the earlier. Empty: a member without memory.
  std::string member;
  // A member that does not poll for this long loses its partitions.
  Duration session_timeout = std::chrono::seconds(45);
  // How long Close and the destructor wait for the servers to hear that this member leaves. After
  // that they find out by its silence.
  Duration close_timeout = std::chrono::seconds(10);
};

// Larger batches fall out of the CPU's caches before they are read: measured on Kafka, 10,000
// messages of 1 KB a batch cost 40 % more CPU a message than 500.
struct PollLimits {
  size_t max_bytes = size_t{1} << 20;
  size_t max_messages = 500;
};

// Whether a member of this name is going to be back.
enum class Departure : uint8_t {
  kForNow,   // its place is kept for the session timeout, if it has a name
  kForGood,  // others get its partitions at once
};

// Used by one thread at a time.
class Consumer {
 public:
  virtual ~Consumer() = default;

  // Joins the group for `topic`: partitions are shared out among its members, and `listener` (which
  // must outlive the consumer) hears of it in Poll. Once, and instead of Assign.
  virtual absl::Status Subscribe(std::string_view topic, RebalanceListener* listener) = 0;

  // Takes exactly these partitions of `topic` from these positions, outside any group's sharing;
  // replaces an earlier Assign. A later Commit is kept under the group's name, as long as the group
  // has no subscribed members; FencedError otherwise.
  virtual absl::Status Assign(std::string_view topic, std::span<const AssignedPartition> from) = 0;

  // Replaces *batch. Returns as soon as there is anything, a rebalance included, at most after
  // `timeout`, to which the listener's own time adds, and at a take-over up to 20 s of asking the
  // servers where the partitions stand. OK with an empty batch when there was nothing. Bytes are
  // keys and values; at least
  // one message comes however large it is. No partition with messages is left out for ever, however
  // full the others are. On error *batch is empty and no message is skipped. Errors:
  //   retry       broker away: it reconnects by itself.
  //   OutOfRange  fatal: the log was cut above the position (or begun anew below it). Reported once
  //               for each partition; the message names topic, partition, position and the log's
  //               start. The partition stands still, the others go on, until a Commit of an offset
  //               within the log resumes it there.
  //   Fenced      for ever: a later member has this one's name, or the servers did not tell in good
  //               time where partitions stand that were given to it. Close it, and make another.
  //   fatal       unknown topic; neither Subscribe nor Assign was called, or Close was.
  virtual absl::Status Poll(const PollLimits& limits, Duration timeout, MessageBatch* batch) = 0;

  // A paused partition keeps its place in the group and returns no messages, not even fetched ones;
  // it goes on where it stood. Survives no rebalance. FencedError when the partition is not this
  // consumer's.
  virtual absl::Status SetPaused(PartitionId partition, bool paused) = 0;

  // Waits until the offsets are durable, at most `timeout`; retry errors leave open whether they
  // are. FencedError (IsFenced) when one of the partitions is no longer this member's; then none is
  // committed. An offset below the committed one is taken: going back is the caller's right, and
  // takes effect at the next assignment. Metadata that is too long or not printable is fatal.
  virtual absl::Status Commit(std::span<const OffsetCommit> commits, Duration timeout) = 0;

  // Leaves the group, after OnRevoked for what is held, or OnLost when there was no time for that.
  // Waits at most `close_timeout`, the listener's own time not counted; when the servers have not
  // heard of a departure for good by then, it is one for now. Idempotent; the destructor leaves for
  // now when the caller has not, without callbacks.
  virtual void Close(Departure departure) = 0;
};

}  // namespace orbweaver
