#include "common/bus/embedded/embedded_bus.h"

#include "common/base/status.h"
#include "common/bus/embedded/embedded_offset_reader.h"
#include "common/bus/embedded/embedded_producer.h"

namespace orbweaver {

absl::StatusOr<std::unique_ptr<EmbeddedBus>> EmbeddedBus::Open(Database& database,
                                                               const Clock& clock,
                                                               const EmbeddedBusOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<MessageLog> log, MessageLog::Open(database, clock));
  return std::unique_ptr<EmbeddedBus>(new EmbeddedBus(database, clock, std::move(log), options));
}

EmbeddedBus::EmbeddedBus(Database& database, const Clock& clock, std::unique_ptr<MessageLog> log,
                         const EmbeddedBusOptions& options)
    : database_(database),
      clock_(clock),
      log_(std::move(log)),
      groups_(database),
      committer_(*log_, options.retention_interval) {}

absl::StatusOr<std::unique_ptr<Producer>> EmbeddedBus::NewProducer(const ProducerOptions& options,
                                                                   AckHandler on_ack) {
  return std::make_unique<EmbeddedProducer>(
      *log_, committer_.NewLane(options.delivery_timeout.value_or(kDefaultDeliveryTimeout)), clock_,
      options, std::move(on_ack));
}

absl::StatusOr<std::unique_ptr<Consumer>> EmbeddedBus::NewConsumer(const ConsumerOptions& options) {
  return std::make_unique<EmbeddedConsumer>(*log_, groups_, clock_, options);
}

absl::StatusOr<std::unique_ptr<OffsetReader>> EmbeddedBus::NewOffsetReader() {
  return std::make_unique<EmbeddedOffsetReader>(*log_, database_);
}

absl::StatusOr<std::vector<std::string>> EmbeddedBus::EnsureTopics(
    std::span<const TopicSpec> topics, Duration timeout) {
  return log_->EnsureTopics(topics, timeout);
}

absl::StatusOr<int> EmbeddedBus::PartitionCount(std::string_view topic, Duration) {
  const LogTopic* const found = log_->FindTopic(topic);
  return found == nullptr ? 0 : found->spec.partitions;
}

}  // namespace orbweaver
