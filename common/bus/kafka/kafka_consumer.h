#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/bus/consumer.h"
#include "common/bus/held_partitions.h"
#include "common/bus/kafka/client.h"
#include "common/bus/kafka/kafka_batch.h"

namespace orbweaver::kafka {

// A member of a consumer group, or a reader of named partitions.
//
// Where reading starts is decided here, not by librdkafka (auto.offset.reset=error): the committed
// offset, or the log's start when nothing was committed. When retention has cut the log below the
// position, the partition is held and the cut reported, since what was in between is lost and
// somebody has to know.
class KafkaConsumer : public Consumer {
 public:
  static absl::StatusOr<std::unique_ptr<Consumer>> Create(const KafkaOptions& kafka,
                                                          const ConsumerOptions& options);
  ~KafkaConsumer() override;

  absl::Status Subscribe(std::string_view topic, RebalanceListener* listener) override;
  absl::Status Assign(std::string_view topic, std::span<const AssignedPartition> from) override;
  absl::Status Poll(const PollLimits& limits, Duration timeout, MessageBatch* batch) override;
  absl::Status SetPaused(PartitionId partition, bool paused) override;
  absl::Status Commit(std::span<const OffsetCommit> commits, Duration timeout) override;
  void Close(Departure departure) override;

 private:
  KafkaConsumer(std::string prefix, const ConsumerOptions& options)
      : prefix_(std::move(prefix)), options_(options) {}

  // librdkafka calls it inside Poll and Close.
  static void OnRebalance(rd_kafka_t*, rd_kafka_resp_err_t error,
                          rd_kafka_topic_partition_list_t* partitions, void* self);
  static void OnError(rd_kafka_t*, int error, const char* reason, void* self);
  // Of the cooperative protocol: adds to the assignment, or takes from it.
  using IncrementalCall = rd_kafka_error_t*(rd_kafka_t*, const rd_kafka_topic_partition_list_t*);
  void Change(IncrementalCall* call, const rd_kafka_topic_partition_list_t& partitions);
  void TakeOver(rd_kafka_topic_partition_list_t* partitions);
  // The answer that librdkafka waits for; it gives back only what was taken.
  void Accept(const rd_kafka_topic_partition_list_t& partitions);
  void Revoke(rd_kafka_topic_partition_list_t* partitions);
  // Fills in the positions; retries for a while, since a rebalance often comes with a broker's
  // restart.
  absl::StatusOr<std::vector<AssignedPartition>> Positions(
      rd_kafka_topic_partition_list_t* partitions);

  // Moves what librdkafka has fetched to held_; waits at most `timeout` for the first, and takes
  // about one batch more than what is held.
  void Fetch(const PollLimits& limits, Duration timeout);
  // Whether something held is of a partition that is not paused.
  bool HasDeliverable() const;
  // Moves from held_ what is not paused and fits the limits.
  void Deliver(const PollLimits& limits, MessageBatch* batch);
  void HandleError(const rd_kafka_message_t& message);
  void AddError(rd_kafka_resp_err_t error, const char* words);
  void ReportCut(PartitionId partition, int64_t position, std::optional<int64_t> start);
  // Of no use from now on: what it owns is lost.
  void Fence(const absl::Status& status);
  // After a cut: goes on at the `next` of each.
  absl::Status StartAgain(std::span<const PartitionId> which);
  absl::Status Fetching(PartitionId partition, bool fetch);
  // Sees that there is a broker when there was nothing to read for a while.
  void CheckBrokers(bool was_reading);
  // Serves OnRebalance for what is held, until the group is left or the time is over.
  void LeaveGroup(const Deadline& deadline);
  // The same, until the servers are told that this member's place is free.
  void GiveUpPlace(const Deadline& deadline);
  bool Cooperative() const;
  bool IsMember() const;
  // The group has not heard of this member for a session: others may have its partitions.
  bool Silent() const;

  const std::string prefix_;
  const ConsumerOptions options_;
  std::shared_ptr<rd_kafka_t> handle_;  // also of the batches that are still read
  rd_kafka_queue_t* queue_ = nullptr;   // destroyed in Close
  std::string topic_;
  bool subscribed_ = false;
  RebalanceListener* listener_ = nullptr;  // none after Assign, and in the destructor
  bool closed_ = false;
  bool rebalanced_ = false;  // in this Poll
  bool in_poll_ = false;
  bool was_silent_ = false;  // before this Poll
  SteadyTime last_poll_ = SystemClock().Now();
  SteadyTime next_reminder_ = SystemClock().Now() + kForgottenAfter;

  // A position is that of the first message that librdkafka has not given us.
  HeldPartitions owned_;
  // Fetched, not yet delivered: what did not fit, or is paused. About a batch at most.
  std::deque<RawMessage> held_;
  absl::Status fenced_;              // once not OK, for ever
  std::deque<absl::Status> errors_;  // for the next Polls, one each
};

}  // namespace orbweaver::kafka
