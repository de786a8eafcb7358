#include "common/bus/embedded/embedded_offset_reader.h"

#include <utility>

#include "common/base/status.h"
#include "common/bus/embedded/group.h"

namespace orbweaver {

absl::StatusOr<std::vector<LogBounds>> EmbeddedOffsetReader::Bounds(
    std::string_view topic, std::span<const PartitionId> partitions, Duration) {
  std::vector<LogBounds> bounds;
  for (const PartitionId id : partitions) {
    ASSIGN_OR_RETURN(const LogPartition* const partition, log_.FindPartition(topic, id));
    // The start first: it never passes the end.
    const Offset start(partition->start);
    bounds.push_back({start, Offset(partition->end)});
  }
  return bounds;
}

absl::StatusOr<std::vector<std::optional<CommittedOffset>>> EmbeddedOffsetReader::Committed(
    std::string_view group, std::string_view topic, std::span<const PartitionId> partitions,
    Duration) {
  std::vector<std::optional<CommittedOffset>> committed;
  for (const PartitionId id : partitions) {
    ASSIGN_OR_RETURN(const LogPartition* const partition, log_.FindPartition(topic, id));
    ASSIGN_OR_RETURN(std::optional<CommittedOffset> offset,
                     ReadCommitted(database_, group, *partition));
    committed.push_back(std::move(offset));
  }
  return committed;
}

}  // namespace orbweaver
