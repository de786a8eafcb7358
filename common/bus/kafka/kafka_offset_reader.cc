#include "common/bus/kafka/kafka_offset_reader.h"

#include "common/base/status.h"
#include "common/bus/kafka/list_offsets.h"

namespace orbweaver::kafka {

absl::StatusOr<std::unique_ptr<OffsetClients>> OffsetClients::Create(const KafkaOptions& kafka) {
  ASSIGN_OR_RETURN(Conf conf, NewConf(kafka, {}));
  WatchContact(conf.get(), /*is_awaited=*/true);
  // A consumer's client: a producer's would create topics by asking for them, where brokers allow
  // it.
  ASSIGN_OR_RETURN(Handle any, NewHandle(RD_KAFKA_CONSUMER, std::move(conf)));
  return std::unique_ptr<OffsetClients>(new OffsetClients(kafka, std::move(any)));
}

absl::StatusOr<rd_kafka_t*> OffsetClients::Any(Duration timeout) {
  if (!was_connected_) RETURN_IF_ERROR(AwaitBroker(any_.get(), timeout));
  was_connected_ = true;
  return any_.get();
}

absl::StatusOr<rd_kafka_t*> OffsetClients::OfGroup(std::string_view group) {
  absl::MutexLock lock(&mutex_);
  const auto found = groups_.find(group);
  if (found != groups_.end()) return found->second.get();
  ASSIGN_OR_RETURN(Conf conf, NewConf(options_, {{"group.id", std::string(group)}}));
  ASSIGN_OR_RETURN(Handle handle, NewHandle(RD_KAFKA_CONSUMER, std::move(conf)));
  return groups_.emplace(group, handle.release()).first->second.get();
}

absl::StatusOr<std::vector<LogBounds>> KafkaOffsetReader::Bounds(
    std::string_view name, std::span<const PartitionId> partitions, Duration timeout) {
  const std::string topic = clients_.options().prefix + std::string(name);
  const Deadline deadline(timeout);
  ASSIGN_OR_RETURN(rd_kafka_t* const client, clients_.Any(timeout));
  // The start first: it only grows, so a start past the end is never reported.
  ASSIGN_OR_RETURN(const auto starts,
                   ListOffsets(client, topic, partitions, OffsetKind::kStart, deadline.Left()));
  ASSIGN_OR_RETURN(const auto ends,
                   ListOffsets(client, topic, partitions, OffsetKind::kEnd, deadline.Left()));
  std::vector<LogBounds> bounds;
  for (size_t i = 0; i < starts.size(); ++i) bounds.push_back({starts[i], ends[i]});
  return bounds;
}

absl::StatusOr<std::vector<std::optional<CommittedOffset>>> KafkaOffsetReader::Committed(
    std::string_view group_name, std::string_view name, std::span<const PartitionId> partitions,
    Duration timeout) {
  const std::string group = clients_.options().prefix + std::string(group_name);
  const std::string topic = clients_.options().prefix + std::string(name);
  const std::string action = fmt::format("read the offsets of group {} on {}", group, topic);
  ASSIGN_OR_RETURN(rd_kafka_t* const client, clients_.OfGroup(group));
  const PartitionList list = NewPartitionList(topic, partitions);
  const absl::Status asked =
      ToStatus(rd_kafka_committed(client, list.get(), Milliseconds(timeout)), action);
  if (IsRetry(asked)) RemindOfBrokers(client);
  RETURN_IF_ERROR(asked);
  std::vector<std::optional<CommittedOffset>> committed;
  for (int i = 0; i < list->cnt; ++i) {
    const rd_kafka_topic_partition_t& found = list->elems[i];
    std::optional<CommittedOffset>& one = committed.emplace_back();
    RETURN_IF_ERROR(ToStatus(found.err, action));
    if (found.offset < 0) continue;
    one.emplace();
    one->offset = Offset(found.offset);
    one->metadata = MetadataOf(found);
  }
  return committed;
}

}  // namespace orbweaver::kafka
