#include "cli/frontier/log_lags.h"

#include <algorithm>

#include "common/base/status.h"
#include "common/bus/topics.h"

namespace orbweaver {

absl::StatusOr<LogLags> LogLagReader::Read(Duration timeout) {
  if (offsets_ == nullptr) {
    ASSIGN_OR_RETURN(const int count, bus_.PartitionCount(kSpiderLogTopic, timeout));
    if (count == 0) return RetryError("look at topic {}: it does not exist", kSpiderLogTopic);
    ASSIGN_OR_RETURN(offsets_, bus_.NewOffsetReader());
    for (int i = 0; i < count; ++i) partitions_.emplace_back(i);
  }
  LogLags lags;
  ASSIGN_OR_RETURN(lags.spider_log, LagOf(kStrategyWorkerGroup, kSpiderLogTopic, timeout));
  ASSIGN_OR_RETURN(lags.scoring_log, LagOf(kDbWorkerGroup, kScoringLogTopic, timeout));
  ASSIGN_OR_RETURN(lags.feed, LagOf(kSpiderGroup, kSpiderFeedTopic, timeout));
  return lags;
}

absl::StatusOr<int64_t> LogLagReader::LagOf(std::string_view group, std::string_view topic,
                                            Duration timeout) {
  // The group's offset first: read the other way round, a lag could be below nothing.
  ASSIGN_OR_RETURN(const auto committed, offsets_->Committed(group, topic, partitions_, timeout));
  ASSIGN_OR_RETURN(const auto bounds, offsets_->Bounds(topic, partitions_, timeout));
  int64_t lag = 0;
  for (size_t i = 0; i < partitions_.size(); ++i) {
    const Offset dealt_with = committed[i].has_value() ? committed[i]->offset : bounds[i].start;
    lag += std::max<int64_t>(0, bounds[i].end - dealt_with);
  }
  return lag;
}

}  // namespace orbweaver
