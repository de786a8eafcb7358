// Offsets from outside a group: for lag, for "still the owner", and for the console.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"

namespace orbweaver {

// [start, end): what the log of a partition still holds.
struct LogBounds {
  Offset start;
  Offset end;
};

struct CommittedOffset {
  Offset offset;
  std::string metadata;
};

// Thread-safe. Calls block for at most about `timeout`; errors are retry (away, late) or fatal
// (unknown topic or partition).
class OffsetReader {
 public:
  virtual ~OffsetReader() = default;

  // In the order of `partitions`. `end` counts every message acked before the call.
  virtual absl::StatusOr<std::vector<LogBounds>> Bounds(std::string_view topic,
                                                        std::span<const PartitionId> partitions,
                                                        Duration timeout) = 0;

  // The positions that `group` has committed, in the order of `partitions`; nullopt where it has
  // committed none or its commit has expired.
  virtual absl::StatusOr<std::vector<std::optional<CommittedOffset>>> Committed(
      std::string_view group, std::string_view topic, std::span<const PartitionId> partitions,
      Duration timeout) = 0;
};

}  // namespace orbweaver
