// Where a worker's main gets its producers and consumers from. Cores never see it: they are handed
// the parts.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/bus/consumer.h"
#include "common/bus/offset_reader.h"
#include "common/bus/producer.h"

namespace orbweaver {

struct TopicSpec {
  std::string name;
  int partitions = 1;
  int replication = 1;  // more than 1 only where there are several brokers
  // Records that are older, or beyond so many bytes a partition, may be deleted; 0: kept for ever.
  Duration retention{};
  int64_t retention_bytes = 0;
};

// Thread-safe. The bus outlives the objects that it makes. The servers need not be up when the bus
// or one of its objects is made: a call with a timeout waits for them, everything else connects
// later by itself.
class Bus {
 public:
  virtual ~Bus() = default;

  // `on_ack` is called by the producer's Poll and Flush only.
  virtual absl::StatusOr<std::unique_ptr<Producer>> NewProducer(const ProducerOptions& options,
                                                                AckHandler on_ack) = 0;
  virtual absl::StatusOr<std::unique_ptr<Consumer>> NewConsumer(const ConsumerOptions& options) = 0;
  virtual absl::StatusOr<std::unique_ptr<OffsetReader>> NewOffsetReader() = 0;

  // Creates the topics that are missing and waits until they can be used. Compares existing topics
  // and leaves them alone; each difference is a line of the answer ("topic spider-log: 8
  // partitions, expected 16"). Several callers may do this at the same time.
  virtual absl::StatusOr<std::vector<std::string>> EnsureTopics(std::span<const TopicSpec> topics,
                                                                Duration timeout) = 0;

  // 0 when the topic does not exist.
  virtual absl::StatusOr<int> PartitionCount(std::string_view topic, Duration timeout) = 0;
};

}  // namespace orbweaver
