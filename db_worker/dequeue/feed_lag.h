// How much the readers of a log have left to do: the spiders of the feed, the strategy workers of
// the spider log.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"

#include "common/bus/offset_reader.h"
#include "db_worker/queue/partition.h"

namespace orbweaver {

struct LogLag {
  int64_t messages = 0;  // of the feed: requests, and markers too
  LagState state = LagState::kUnknown;
  int64_t lost = 0;  // with kLogCut: what retention deleted undone
};

// Never committed, or the commit expired: readers would begin at the log's start, so all of it is
// left to do. The same when the commit is beyond the end, as after the topic was made anew.
LogLag LagOf(const LogBounds& bounds, const std::optional<CommittedOffset>& committed);

// In the order of `partitions`. Errors as of OffsetReader.
absl::StatusOr<std::vector<LogLag>> ReadLags(OffsetReader& offsets, std::string_view group,
                                             std::string_view topic,
                                             std::span<const PartitionId> partitions,
                                             Duration timeout);

}  // namespace orbweaver
