// The bus of simulations and replays: logs in memory, and faults by seed.
#pragma once

#include "common/bus/bus.h"
#include "common/bus/memory/memory_client.h"

namespace orbweaver {

// One process's handle on a MemoryBroker, with a process's own faults (memory_client.h). Made again
// on the same broker it is the process after a restart.
//
// Thread-safe, but deterministic only when used by one thread. `broker`, and what `options` points
// to, must outlive it.
class MemoryBus : public Bus {
 public:
  MemoryBus(MemoryBroker* broker, const MemoryBusOptions& options) : client_(broker, options) {}

  absl::StatusOr<std::unique_ptr<Producer>> NewProducer(const ProducerOptions& options,
                                                        AckHandler on_ack) override;
  absl::StatusOr<std::unique_ptr<Consumer>> NewConsumer(const ConsumerOptions& options) override;
  absl::StatusOr<std::unique_ptr<OffsetReader>> NewOffsetReader() override;
  absl::StatusOr<std::vector<std::string>> EnsureTopics(std::span<const TopicSpec> topics,
                                                        Duration timeout) override;
  absl::StatusOr<int> PartitionCount(std::string_view topic, Duration timeout) override;

 private:
  MemoryClient client_;
};

}  // namespace orbweaver
