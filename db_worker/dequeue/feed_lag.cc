#include "db_worker/dequeue/feed_lag.h"

#include "common/base/status.h"

namespace orbweaver {

LogLag LagOf(const LogBounds& bounds, const std::optional<CommittedOffset>& committed) {
  const int64_t whole = bounds.end - bounds.start;
  if (!committed.has_value()) return {.messages = whole, .state = LagState::kNoCommit};
  if (committed->offset > bounds.end) {
    return {.messages = whole, .state = LagState::kCommitBeyondEnd};
  }
  if (committed->offset < bounds.start) {
    return {
        .messages = whole, .state = LagState::kLogCut, .lost = bounds.start - committed->offset};
  }
  return {.messages = bounds.end - committed->offset, .state = LagState::kCommitted};
}

absl::StatusOr<std::vector<LogLag>> ReadLags(OffsetReader& offsets, std::string_view group,
                                             std::string_view topic,
                                             std::span<const PartitionId> partitions,
                                             Duration timeout) {
  // Commits first: a reader that goes on meanwhile makes the lag look larger, never smaller.
  ASSIGN_OR_RETURN(const auto committed, offsets.Committed(group, topic, partitions, timeout));
  ASSIGN_OR_RETURN(const auto bounds, offsets.Bounds(topic, partitions, timeout));
  std::vector<LogLag> lags;
  for (size_t i = 0; i < partitions.size(); ++i) {
    lags.push_back(LagOf(bounds[i], committed[i]));
  }
  return lags;
}

}  // namespace orbweaver
