#include "common/bus/kafka/kafka_offset_reader.h"

#include "common/base/status.h"
#include "common/bus/kafka/list_offsets.h"

namespace orbweaver::kafka {

absl::StatusOr<std::unique_ptr<OffsetReader>> KafkaOffsetReader::Create(const KafkaOptions& kafka) {
  ASSIGN_OR_RETURN(Conf conf, NewConf(kafka, {}));
  ASSIGN_OR_RETURN(Handle handle, NewHandle(RD_KAFKA_CONSUMER, std::move(conf)));
  return std::unique_ptr<OffsetReader>(new KafkaOffsetReader(kafka.prefix, std::move(handle)));
}

absl::StatusOr<std::vector<LogBounds>> KafkaOffsetReader::Bounds(
    std::string_view name, std::span<const PartitionId> partitions, Duration timeout) {
  const std::string topic = prefix_ + std::string(name);
  const Deadline deadline(timeout);
  // The start first: it only grows, so a start past the end is never reported.
  ASSIGN_OR_RETURN(const auto starts, ListOffsets(handle_.get(), topic, partitions,
                                                  OffsetKind::kStart, deadline.Left()));
  ASSIGN_OR_RETURN(const auto ends, ListOffsets(handle_.get(), topic, partitions, OffsetKind::kEnd,
                                                deadline.Left()));
  std::vector<LogBounds> bounds;
  for (size_t i = 0; i < starts.size(); ++i) bounds.push_back({starts[i], ends[i]});
  return bounds;
}

absl::StatusOr<std::vector<std::optional<CommittedOffset>>> KafkaOffsetReader::Committed(
    std::string_view group_name, std::string_view name, std::span<const PartitionId> partitions,
    Duration timeout) {
  const std::string group = prefix_ + std::string(group_name);
  const std::string topic = prefix_ + std::string(name);
  const std::string action = fmt::format("read the offsets of group {} on {}", group, topic);
  const PartitionList list = NewPartitionList(topic, partitions);
  rd_kafka_ListConsumerGroupOffsets_t* request =
      rd_kafka_ListConsumerGroupOffsets_new(group.c_str(), list.get());
  const AdminOptions options(
      rd_kafka_AdminOptions_new(handle_.get(), RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS));
  rd_kafka_AdminOptions_set_request_timeout(options.get(), std::max(1, Milliseconds(timeout)),
                                            nullptr, 0);
  const Queue answers(rd_kafka_queue_new(handle_.get()));
  rd_kafka_ListConsumerGroupOffsets(handle_.get(), &request, 1, options.get(), answers.get());
  rd_kafka_ListConsumerGroupOffsets_destroy(request);
  const Event event(rd_kafka_queue_poll(answers.get(), Milliseconds(timeout)));
  if (event == nullptr) return TimeoutError("{}: no answer", action);
  RETURN_IF_ERROR(ToStatus(rd_kafka_event_error(event.get()), action));
  size_t count = 0;
  const rd_kafka_group_result_t** const groups = rd_kafka_ListConsumerGroupOffsets_result_groups(
      rd_kafka_event_ListConsumerGroupOffsets_result(event.get()), &count);
  if (count != 1) return RetryError("{}: {} answers instead of one", action, count);
  if (const rd_kafka_error_t* const error = rd_kafka_group_result_error(groups[0])) {
    return ToStatus(rd_kafka_error_code(error), action);
  }
  const rd_kafka_topic_partition_list_t* const results =
      rd_kafka_group_result_partitions(groups[0]);
  std::vector<std::optional<CommittedOffset>> committed;
  for (const PartitionId partition : partitions) {
    std::optional<CommittedOffset>& one = committed.emplace_back();
    const rd_kafka_topic_partition_t* const found = rd_kafka_topic_partition_list_find(
        const_cast<rd_kafka_topic_partition_list_t*>(results), topic.c_str(), partition.value());
    if (found == nullptr) continue;
    RETURN_IF_ERROR(ToStatus(found->err, action));
    if (found->offset < 0) continue;
    one.emplace();
    one->offset = Offset(found->offset);
    if (found->metadata != nullptr) {
      one->metadata.assign(static_cast<const char*>(found->metadata), found->metadata_size);
    }
  }
  return committed;
}

}  // namespace orbweaver::kafka
