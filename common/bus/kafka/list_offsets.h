// First and next offsets of many partitions in one request.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/bus/kafka/client.h"

namespace orbweaver::kafka {

enum class OffsetKind { kStart, kEnd };

// In the order of `partitions`. Retries within `timeout`. Errors: retry, or fatal (unknown topic or partition).
absl::StatusOr<std::vector<Offset>> ListOffsets(rd_kafka_t* client, std::string_view topic,
                                                std::span<const PartitionId> partitions,
                                                OffsetKind kind, Duration timeout);

}  // namespace orbweaver::kafka
