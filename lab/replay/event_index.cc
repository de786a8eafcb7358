#include "lab/replay/event_index.h"

#include "common/base/check.h"

namespace orbweaver::lab {

void EventIndex::Add(const Event& event) {
  const auto partition = static_cast<size_t>(event.partition.value());
  if (by_partition_.size() <= partition) by_partition_.resize(partition + 1);
  std::vector<uint32_t>& numbers = by_partition_[partition];
  CHECK(event.offset == Offset(static_cast<int64_t>(numbers.size())));
  numbers.push_back(static_cast<uint32_t>(events_.size()));
  events_.push_back(event);
}

std::optional<uint32_t> EventIndex::Find(PartitionId partition, Offset offset) const {
  const auto place = static_cast<size_t>(partition.value());
  if (place >= by_partition_.size()) return std::nullopt;
  const auto at = static_cast<size_t>(offset.value());
  if (at >= by_partition_[place].size()) return std::nullopt;
  return by_partition_[place][at];
}

}  // namespace orbweaver::lab
