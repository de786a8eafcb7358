// How far the feed is in the heads of a partition.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/store/store.h"

namespace orbweaver {

// The rows of the partition hold all of the feed below `offset`; `epoch` is the last marker there.
struct Checkpoint {
  uint64_t topic_epoch = 0;
  Offset offset;
  Offset epoch;

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

inline constexpr std::string_view kCheckpointColumn = "feed_checkpoint";

// The partition's row in kPartitions.
std::string CheckpointRow(PartitionId partition);
std::string EncodeCheckpoint(const Checkpoint& checkpoint);
// Fatal for anything else: without it nobody knows what was sent.
absl::StatusOr<Checkpoint> DecodeCheckpoint(std::string_view bytes);

// Nothing when the partition was never taken over.
absl::StatusOr<std::optional<Checkpoint>> LoadCheckpoint(Store& store, PartitionId partition,
                                                         Duration timeout);

}  // namespace orbweaver
