#include "common/worker/cut_log.h"

#include "common/base/status.h"
#include "common/protocol/log_witness.h"

namespace orbweaver {

absl::StatusOr<std::vector<CutLog>> FindCuts(OffsetReader& offsets, std::string_view topic,
                                             const std::map<PartitionId, Offset>& next,
                                             Duration timeout) {
  std::vector<PartitionId> partitions;
  for (const auto& [partition, offset] : next) partitions.push_back(partition);
  ASSIGN_OR_RETURN(const std::vector<LogBounds> bounds, offsets.Bounds(topic, partitions, timeout));
  std::vector<CutLog> cuts;
  for (size_t i = 0; i < partitions.size(); ++i) {
    const Offset wanted = next.at(partitions[i]);
    if (wanted > bounds[i].end) {
      return FatalError(
          "read '{}' partition {}: the log ends at {}, and {} was to be read next. {}", topic,
          partitions[i], bounds[i].end, wanted, kForeignLogHint);
    }
    if (wanted < bounds[i].start) cuts.push_back({partitions[i], wanted, bounds[i].start});
  }
  return cuts;
}

}  // namespace orbweaver
