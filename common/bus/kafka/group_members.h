// The members of a consumer group and the partitions that each owns: for operators.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/bus/kafka/kafka_options.h"

namespace orbweaver {

struct GroupMember {
  // The name that it has over restarts (worker.name); without one what Kafka calls it.
  std::string name;
  std::string host;  // as the broker sees it
  std::vector<PartitionId> partitions;
};

// The members of `group` with their partitions of `topic`, in the order of their names; none when
// there is no such group, or it is being shared out anew. Blocks for at most about `timeout`;
// errors are retry or fatal.
absl::StatusOr<std::vector<GroupMember>> KafkaGroupMembers(const KafkaOptions& options,
                                                           std::string_view group,
                                                           std::string_view topic,
                                                           Duration timeout);

}  // namespace orbweaver
