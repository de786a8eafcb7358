// A bus whose clients make a planted mistake.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/bus/bus.h"
#include "common/bus/memory/memory_broker.h"
#include "tests/sim/whole/planted_faults.h"

namespace orbweaver::sim {

// Place: between a worker and its bus. Faults that are none of a bus change nothing.
class PlantedBus : public Bus {
 public:
  // All must outlive it. `numbered` is of all workers of a run: how many messages they were given
  // with other numbers.
  PlantedBus(Bus& bus, MemoryBroker& broker, PlantedFault fault, uint64_t& numbered)
      : bus_(bus), broker_(broker), fault_(fault), numbered_(numbered) {}

  absl::StatusOr<std::unique_ptr<Producer>> NewProducer(const ProducerOptions& options,
                                                        AckHandler on_ack) override;
  absl::StatusOr<std::unique_ptr<Consumer>> NewConsumer(const ConsumerOptions& options) override;
  absl::StatusOr<std::unique_ptr<OffsetReader>> NewOffsetReader() override {
    return bus_.NewOffsetReader();
  }
  absl::StatusOr<std::vector<std::string>> EnsureTopics(std::span<const TopicSpec> topics,
                                                        Duration timeout) override {
    return bus_.EnsureTopics(topics, timeout);
  }
  absl::StatusOr<int> PartitionCount(std::string_view topic, Duration timeout) override {
    return bus_.PartitionCount(topic, timeout);
  }

 private:
  Bus& bus_;
  MemoryBroker& broker_;
  const PlantedFault fault_;
  uint64_t& numbered_;
};

}  // namespace orbweaver::sim
