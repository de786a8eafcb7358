#include "common/bus/memory/memory_offset_reader.h"

#include "common/base/status.h"

namespace orbweaver {

absl::StatusOr<std::vector<LogBounds>> MemoryOffsetReader::Bounds(
    std::string_view topic, std::span<const PartitionId> partitions, Duration timeout) {
  RETURN_IF_ERROR(client_.CheckAlive("read offsets"));
  client_.Reach("before bounds");
  std::vector<LogBounds> bounds;
  {
    absl::MutexLock lock(&client_.broker.mutex);
    RETURN_IF_ERROR(client_.Begin("read offsets", timeout));
    for (const PartitionId partition : partitions) {
      ASSIGN_OR_RETURN(PartitionLog* const log, client_.broker.log().Find(topic, partition));
      bounds.push_back(log->bounds());
    }
  }
  client_.Reach("after bounds");
  return bounds;
}

absl::StatusOr<std::vector<std::optional<CommittedOffset>>> MemoryOffsetReader::Committed(
    std::string_view group, std::string_view topic, std::span<const PartitionId> partitions,
    Duration timeout) {
  RETURN_IF_ERROR(client_.CheckAlive("read committed offsets"));
  client_.Reach("before committed");
  std::vector<std::optional<CommittedOffset>> committed;
  {
    absl::MutexLock lock(&client_.broker.mutex);
    RETURN_IF_ERROR(client_.Begin("read committed offsets", timeout));
    ASSIGN_OR_RETURN(MemoryGroup* const found, client_.broker.Group(group, topic));
    for (const PartitionId partition : partitions) {
      RETURN_IF_ERROR(client_.broker.log().Find(topic, partition).status());
      committed.push_back(found->committed(partition));
    }
  }
  client_.Reach("after committed");
  return committed;
}

}  // namespace orbweaver
