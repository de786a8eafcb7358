// Creates topics, and says how existing ones differ.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/bus/bus.h"
#include "common/bus/kafka/client.h"

namespace orbweaver::kafka {

// As Bus::EnsureTopics and Bus::PartitionCount.
absl::StatusOr<std::vector<std::string>> EnsureTopics(rd_kafka_t* client,
                                                      std::span<const TopicSpec> topics,
                                                      Duration timeout);
absl::StatusOr<int> PartitionCount(rd_kafka_t* client, std::string_view topic, Duration timeout);

}  // namespace orbweaver::kafka
