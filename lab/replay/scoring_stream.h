// The scoring log as a db worker reads it, entry by entry.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

#include "common/base/ids.h"
#include "common/model/arena.h"
#include "common/model/encode_buffer.h"
#include "common/protocol/scoring_log_filter.h"

namespace orbweaver::lab {

// The event of the spider log that a decision came of. An event's decision may have several parts.
struct DecisionKey {
  PartitionId partition;
  Offset event;
  uint32_t part = 0;

  friend auto operator<=>(const DecisionKey&, const DecisionKey&) = default;
};

struct Decision {
  DecisionKey key;
  std::string entry;  // of the scoring log, with epochs that are the same in all logs
  std::string domain;
  size_t requests = 0;
};

// Place: one for a log. Not thread-safe.
class ScoringStream {
 public:
  // The next record of its partition. Nothing: it counts for no reader. Poison: its bytes are no
  // entry.
  absl::StatusOr<std::optional<Decision>> Take(PartitionId partition, Offset offset,
                                               std::string_view value);

 private:
  Arena arena_;
  EncodeBuffer buffer_;
  std::map<PartitionId, ScoringLogFilter> filters_;
};

}  // namespace orbweaver::lab
