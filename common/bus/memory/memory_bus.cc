#include "common/bus/memory/memory_bus.h"

#include <utility>

#include "common/base/status.h"
#include "common/bus/memory/memory_consumer.h"
#include "common/bus/memory/memory_offset_reader.h"
#include "common/bus/memory/memory_producer.h"

namespace orbweaver {

absl::StatusOr<std::unique_ptr<Producer>> MemoryBus::NewProducer(const ProducerOptions& options,
                                                                 AckHandler on_ack) {
  return std::make_unique<MemoryProducer>(&client_, options, std::move(on_ack));
}

absl::StatusOr<std::unique_ptr<Consumer>> MemoryBus::NewConsumer(const ConsumerOptions& options) {
  return std::make_unique<MemoryConsumer>(&client_, options);
}

absl::StatusOr<std::unique_ptr<OffsetReader>> MemoryBus::NewOffsetReader() {
  return std::make_unique<MemoryOffsetReader>(&client_);
}

absl::StatusOr<std::vector<std::string>> MemoryBus::EnsureTopics(std::span<const TopicSpec> topics,
                                                                 Duration timeout) {
  absl::MutexLock lock(&client_.broker.mutex);
  RETURN_IF_ERROR(client_.Begin("create topics", timeout));
  std::vector<std::string> differences;
  for (const TopicSpec& topic : topics) client_.broker.log().Ensure(topic, &differences);
  return differences;
}

absl::StatusOr<int> MemoryBus::PartitionCount(std::string_view topic, Duration timeout) {
  absl::MutexLock lock(&client_.broker.mutex);
  RETURN_IF_ERROR(client_.Begin("count partitions", timeout));
  return client_.broker.log().PartitionCount(topic);
}

}  // namespace orbweaver
