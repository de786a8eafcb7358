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
  // What is older, or beyond so many bytes a partition, may be deleted; 0: kept for ever.
  Duration retention{};
  int64_t retention_bytes = 0;
};

// Thread-safe. What it makes must not outlive it. Nothing here or made here needs the servers to be
// up when it is called: what has a timeout waits for them, the rest connects by itself later.
class Bus {
 public:
  virtual ~Bus() = default;

  // `on_ack` is called by the producer's Poll and Flush only.
  virtual absl::StatusOr<std::unique_ptr<Producer>> NewProducer(const ProducerOptions& options,
                                                                AckHandler on_ack) = 0;
  virtual absl::StatusOr<std::unique_ptr<Consumer>> NewConsumer(const ConsumerOptions& options) = 0;
  virtual absl::StatusOr<std::unique_ptr<OffsetReader>> NewOffsetReader() = 0;

  // Creates the topics that are missing and waits until they can be used. What exists is compared
  // and left alone; each difference is a line of the answer ("topic spider-log: 8 partitions,
  // expected 16"). Callers may do the same at the same time.
  virtual absl::StatusOr<std::vector<std::string>> EnsureTopics(std::span<const TopicSpec> topics,
                                                                Duration timeout) = 0;

  // 0 when the topic does not exist.
  virtual absl::StatusOr<int> PartitionCount(std::string_view topic, Duration timeout) = 0;
};

}  // namespace orbweaver
