#include "common/bus/topics.h"

#include <bit>
#include <string>

#include "common/base/ids.h"
#include "common/base/status.h"

namespace orbweaver {

absl::StatusOr<std::vector<TopicSpec>> ProductTopics(const TopicOptions& options) {
  if (options.partitions < 1 || options.partitions > kSlots ||
      !std::has_single_bit(static_cast<unsigned>(options.partitions))) {
    return FatalError(
        "topics: {} partitions: expected a power of two from 1 to {}, so that domains keep to "
        "their slots",
        options.partitions, kSlots);
  }
  if (options.replication < 1) {
    return FatalError("topics: replication {}: expected at least 1", options.replication);
  }
  std::vector<TopicSpec> topics;
  for (const auto name : {kSpiderLogTopic, kScoringLogTopic, kSpiderFeedTopic}) {
    topics.push_back({.name = std::string(name),
                      .partitions = options.partitions,
                      .replication = options.replication,
                      .retention = options.retention,
                      .retention_bytes = options.retention_bytes});
  }
  for (const auto name : {kDeadLetterTopic, kStatsTopic}) {
    topics.push_back({.name = std::string(name),
                      .partitions = 1,
                      .replication = options.replication,
                      .retention = options.retention,
                      .retention_bytes = options.retention_bytes});
  }
  return topics;
}

}  // namespace orbweaver
