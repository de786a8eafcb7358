#include "common/bus/kafka/kafka_bus.h"

#include <memory>
#include <utility>

#include "common/base/status.h"
#include "common/bus/kafka/kafka_consumer.h"
#include "common/bus/kafka/kafka_offset_reader.h"
#include "common/bus/kafka/kafka_producer.h"
#include "common/bus/kafka/topics.h"

namespace orbweaver {
namespace {

class KafkaBus : public Bus {
 public:
  explicit KafkaBus(std::unique_ptr<kafka::OffsetClients> clients)
      : clients_(std::move(clients)), options_(clients_->options()) {}

  absl::StatusOr<std::unique_ptr<Producer>> NewProducer(const ProducerOptions& options,
                                                        AckHandler on_ack) override {
    return kafka::KafkaProducer::Create(options_, options, std::move(on_ack));
  }
  absl::StatusOr<std::unique_ptr<Consumer>> NewConsumer(const ConsumerOptions& options) override {
    return kafka::KafkaConsumer::Create(options_, options);
  }
  absl::StatusOr<std::unique_ptr<OffsetReader>> NewOffsetReader() override {
    return std::make_unique<kafka::KafkaOffsetReader>(*clients_);
  }
  absl::StatusOr<std::vector<std::string>> EnsureTopics(std::span<const TopicSpec> topics,
                                                        Duration timeout) override {
    std::vector<TopicSpec> named(topics.begin(), topics.end());
    for (TopicSpec& topic : named) topic.name.insert(0, options_.prefix);
    const kafka::Deadline deadline(timeout);
    ASSIGN_OR_RETURN(rd_kafka_t* const client, clients_->Any(timeout));
    return kafka::EnsureTopics(client, named, deadline.Left());
  }
  absl::StatusOr<int> PartitionCount(std::string_view topic, Duration timeout) override {
    const kafka::Deadline deadline(timeout);
    ASSIGN_OR_RETURN(rd_kafka_t* const client, clients_->Any(timeout));
    return kafka::PartitionCount(client, options_.prefix + std::string(topic), deadline.Left());
  }

 private:
  const std::unique_ptr<kafka::OffsetClients> clients_;
  const KafkaOptions& options_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Bus>> NewKafkaBus(const KafkaOptions& options) {
  ASSIGN_OR_RETURN(auto clients, kafka::OffsetClients::Create(options));
  return std::make_unique<KafkaBus>(std::move(clients));
}

absl::Status CheckKafkaOptions(const KafkaOptions& options) {
  return kafka::NewConf(options, {}).status();
}

}  // namespace orbweaver
