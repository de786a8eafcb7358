// The topics between the workers: their names, and how they are created.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"

namespace orbweaver {

namespace config {
class Schema;
}

// P partitions each, keyed by registered domain.
inline constexpr std::string_view kSpiderLogTopic = "spider-log";
inline constexpr std::string_view kScoringLogTopic = "scoring-log";
inline constexpr std::string_view kSpiderFeedTopic = "spider-feed";
// Messages that could not be decoded, with topic, partition, offset and cause in headers; one
// partition.
inline constexpr std::string_view kDeadLetterTopic = "dead-letter";
// Workers' counters for the console; one partition.
inline constexpr std::string_view kStatsTopic = "stats";

// Consumer groups: the workers of a kind share a topic's partitions out among them.
inline constexpr std::string_view kStrategyWorkerGroup = "strategy-workers";  // spider-log
inline constexpr std::string_view kDbWorkerGroup = "db-workers";              // scoring-log
inline constexpr std::string_view kPagesGroup = "pages";                      // spider-log
inline constexpr std::string_view kSpiderGroup = "spiders";                   // spider-feed

struct TopicOptions {
  // A power of two up to 4096: then partition = slot % partitions is what Kafka's own partitioner
  // does, and growing the number only splits slots. It bounds how many workers of a kind can share
  // the work.
  int partitions = 16;
  int replication = 1;
  // How long messages are kept after they were written. A worker that is away for longer loses
  // them, and says so.
  Duration retention = std::chrono::hours(24 * 7);
  // The same by size, a partition; 0: no bound.
  int64_t retention_bytes = 0;
};

// topics.*; `options` must outlive the schema.
void DeclareTopicOptions(config::Schema& schema, TopicOptions* options);

// All topics of the product. Fatal when the partitions are no power of two up to 4096.
absl::StatusOr<std::vector<TopicSpec>> ProductTopics(const TopicOptions& options);

}  // namespace orbweaver
