#include "cli/crawl/idle_detector.h"

#include <algorithm>
#include <utility>

namespace orbweaver {

std::optional<WallTime> IdleDetector::IdleUntil(Look look) {
  const bool is_quiet = look.read_ends.has_value() && look.held == 0;
  if (!is_quiet || look.read_ends != quiet_ends_) {
    quiet_ends_ = is_quiet ? std::move(look.read_ends) : std::nullopt;
    quiet_since_ = look.at;
    return std::nullopt;
  }
  // A worker that is being made anew shows no partitions, or not all.
  if (look.queue.at <= quiet_since_ || look.queue.partitions.size() != partitions_) {
    return std::nullopt;
  }
  return NextDue(look.queue.partitions);
}

WallTime NextDue(std::span<const PartitionReport> queue) {
  WallTime due = WallTime::max();
  for (const PartitionReport& partition : queue) due = std::min(due, partition.next_due);
  return due;
}

}  // namespace orbweaver
