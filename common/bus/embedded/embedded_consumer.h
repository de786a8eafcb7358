// Reads the folder's log, for a group or from given positions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/bus/consumer.h"
#include "common/bus/embedded/group.h"
#include "common/bus/embedded/message_log.h"
#include "common/bus/embedded/stored_batch.h"
#include "common/bus/held_partitions.h"

namespace orbweaver {

// Not thread-safe, as the interface says.
class EmbeddedConsumer : public Consumer {
 public:
  // The first three must outlive it.
  EmbeddedConsumer(MessageLog& log, Groups& groups, const Clock& clock,
                   const ConsumerOptions& options);
  ~EmbeddedConsumer() override;

  absl::Status Subscribe(std::string_view topic, RebalanceListener* listener) override;
  absl::Status Assign(std::string_view topic, std::span<const AssignedPartition> from) override;
  absl::Status Poll(const PollLimits& limits, Duration timeout, MessageBatch* batch) override;
  absl::Status SetPaused(PartitionId partition, bool paused) override;
  absl::Status Commit(std::span<const OffsetCommit> commits, Duration timeout) override;
  void Close(Departure departure) override;

 private:
  using Held = HeldPartitions::Held;

  // The batch that the last Poll stopped in: kept so that small polls do not read it again and
  // again.
  struct Rest {
    PartitionId partition;
    Offset next;
    std::shared_ptr<const LogBatch> batch;
    StoredBatchCursor cursor;
  };

  // The messages that one Poll collects.
  class Collected;
  // This member's side of group_.
  class Membership;

  bool IsSubscribed() const { return listener_ != nullptr; }
  LogBounds BoundsOf(PartitionId partition) const;

  absl::Status PollUntil(const PollLimits& limits, SteadyTime deadline, MessageBatch* batch);
  // Takes part in the group's sharing; true when the listener was called.
  absl::StatusOr<bool> Rebalance(Duration left);
  absl::Status Fetch(const PollLimits& limits, MessageBatch* batch);
  absl::Status Collect(Collected* collected);
  // Reads on in rest_, which belongs to `held`; at its end rest_ is dropped.
  absl::Status TakeRest(Held* held, Collected* collected);
  absl::Status OpenBatch(PartitionId partition, const Held& held, MessageLog::View* view);

  MessageLog& log_;
  Groups& groups_;
  const Clock& clock_;
  const ConsumerOptions options_;

  const LogTopic* topic_ = nullptr;
  Group* group_ = nullptr;
  RebalanceListener* listener_ = nullptr;
  Group::MemberId member_ = 0;  // 0: has not joined yet
  uint64_t generation_ = 0;     // of the group, when this member last looked at its sharing
  HeldPartitions held_;
  // Of one Poll, kept for its memory: what is held, and how far it may be read.
  struct Readable {
    PartitionId partition;
    Held* held;
    Offset end;
  };
  std::vector<Readable> readable_;
  std::optional<Rest> rest_;
  PartitionId turn_{0};  // where the next Poll begins, so that no partition starves
  bool closed_ = false;
};

}  // namespace orbweaver
