#include "cli/crawl/idle_detector.h"

#include <algorithm>
#include <utility>

namespace orbweaver {

std::optional<WallTime> IdleDetector::IdleUntil(Sample sample) {
  const bool is_quiet = sample.read_ends.has_value() && sample.held == 0;
  if (!is_quiet || sample.read_ends != quiet_ends_) {
    quiet_ends_ = is_quiet ? std::move(sample.read_ends) : std::nullopt;
    quiet_since_ = sample.at;
    return std::nullopt;
  }
  // A worker that is being made anew shows no partitions, or not all.
  if (sample.queue.at <= quiet_since_ || sample.queue.partitions.size() != partitions_) {
    return std::nullopt;
  }
  return NextDue(sample.queue.partitions);
}

WallTime NextDue(std::span<const PartitionReport> queue) {
  WallTime due = WallTime::max();
  for (const PartitionReport& partition : queue) due = std::min(due, partition.next_due);
  return due;
}

}  // namespace orbweaver
