// How much the spiders have left to do of the feed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"

#include "common/bus/offset_reader.h"
#include "db_worker/queue/partition.h"

namespace orbweaver {

struct FeedLag {
  int64_t requests = 0;  // markers are counted too
  LagState state = LagState::kUnknown;
  int64_t lost = 0;  // with kLogCut: what retention deleted undone
};

// Never committed, or the commit expired: spiders would begin at the log's start, so all of it is
// left to do. The same when the commit is beyond the end, as after the topic was made anew.
FeedLag LagOf(const LogBounds& bounds, const std::optional<CommittedOffset>& committed);

// In the order of `partitions`. Errors as of OffsetReader.
absl::StatusOr<std::vector<FeedLag>> ReadLags(OffsetReader& offsets, std::string_view group,
                                              std::span<const PartitionId> partitions,
                                              Duration timeout);

}  // namespace orbweaver
