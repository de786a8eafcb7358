// See Consumer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/bus/consumer.h"
#include "common/bus/held_partitions.h"
#include "common/bus/memory/memory_client.h"

namespace orbweaver {

// Place: made by MemoryBus. Its held partitions are its own view of the group, which may be out of
// date: ConsumerGroup decides.
class MemoryConsumer : public Consumer {
 public:
  MemoryConsumer(MemoryClient* client, const ConsumerOptions& options)
      : client_(*client), options_(options) {}
  ~MemoryConsumer() override;

  absl::Status Subscribe(std::string_view topic, RebalanceListener* listener) override;
  absl::Status Assign(std::string_view topic, std::span<const AssignedPartition> from) override;
  absl::Status Poll(const PollLimits& limits, Duration timeout, MessageBatch* batch) override;
  absl::Status SetPaused(PartitionId partition, bool paused) override;
  absl::Status Commit(std::span<const OffsetCommit> commits, Duration timeout) override;
  void Close(Departure departure) override;

 private:
  // This member's side of its group.
  class Membership;

  bool IsSubscribed() const { return listener_ != nullptr; }

  // Waits until there is something to do; the fault or the fencing that stands in the way.
  absl::Status AwaitWork(Duration timeout) ABSL_LOCKS_EXCLUDED(client_.broker.mutex);
  void DrawRebalance(ConsumerGroup& group) ABSL_EXCLUSIVE_LOCKS_REQUIRED(client_.broker.mutex);
  bool NeedsRebalance(const ConsumerGroup& group) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(client_.broker.mutex);
  bool HasMessages() ABSL_EXCLUSIVE_LOCKS_REQUIRED(client_.broker.mutex);
  // Only a subscribed consumer has one.
  ConsumerGroup& Group() ABSL_EXCLUSIVE_LOCKS_REQUIRED(client_.broker.mutex);
  PartitionLog& LogOf(PartitionId partition) ABSL_EXCLUSIVE_LOCKS_REQUIRED(client_.broker.mutex);

  absl::Status CheckPositions() ABSL_LOCKS_EXCLUDED(client_.broker.mutex);
  void Fetch(const PollLimits& limits, MessageBatch* batch)
      ABSL_LOCKS_EXCLUDED(client_.broker.mutex);
  std::vector<PartitionId> FetchOrder() ABSL_EXCLUSIVE_LOCKS_REQUIRED(client_.broker.mutex);
  absl::Status CheckCommits(std::span<const OffsetCommit> commits, ConsumerGroup& group)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(client_.broker.mutex);

  MemoryClient& client_;
  const ConsumerOptions options_;
  std::string topic_;
  RebalanceListener* listener_ = nullptr;
  ConsumerGroup::MemberId member_ = 0;  // 0: has not joined yet
  HeldPartitions held_;
  std::map<PartitionId, uint64_t> late_polls_;  // give nothing of it, after a pause
  bool revokes_all_ = false;                    // a rebalance in which nobody keeps anything
  bool closed_ = false;
  size_t next_first_ = 0;  // which partition the next Poll begins with, so that none starves
};

}  // namespace orbweaver
