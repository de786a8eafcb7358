#include "db_worker/dequeue/feed_lag.h"

#include "common/base/status.h"
#include "common/bus/topics.h"

namespace orbweaver {

FeedLag LagOf(const LogBounds& bounds, const std::optional<CommittedOffset>& committed) {
  const int64_t whole = bounds.end - bounds.start;
  if (!committed.has_value()) return {.requests = whole, .state = LagState::kNoCommit};
  if (committed->offset > bounds.end) {
    return {.requests = whole, .state = LagState::kCommitBeyondEnd};
  }
  if (committed->offset < bounds.start) {
    return {
        .requests = whole, .state = LagState::kLogCut, .lost = bounds.start - committed->offset};
  }
  return {.requests = bounds.end - committed->offset, .state = LagState::kCommitted};
}

absl::StatusOr<std::vector<FeedLag>> ReadLags(OffsetReader& offsets, std::string_view group,
                                              std::span<const PartitionId> partitions,
                                              Duration timeout) {
  // Commits first: a spider that goes on meanwhile makes the lag look larger, never smaller.
  ASSIGN_OR_RETURN(const auto committed,
                   offsets.Committed(group, kSpiderFeedTopic, partitions, timeout));
  ASSIGN_OR_RETURN(const auto bounds, offsets.Bounds(kSpiderFeedTopic, partitions, timeout));
  std::vector<FeedLag> lags;
  for (size_t i = 0; i < partitions.size(); ++i) {
    lags.push_back(LagOf(bounds[i], committed[i]));
  }
  return lags;
}

}  // namespace orbweaver
