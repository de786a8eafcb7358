#include "common/bus/kafka/kafka_bus.h"

#include <utility>

#include "common/base/status.h"
#include "common/bus/kafka/client.h"
#include "common/bus/kafka/kafka_consumer.h"
#include "common/bus/kafka/kafka_offset_reader.h"
#include "common/bus/kafka/kafka_producer.h"
#include "common/bus/kafka/topics.h"

namespace orbweaver {
namespace {

class KafkaBus : public Bus {
 public:
  KafkaBus(const KafkaOptions& options, kafka::Handle admin)
      : options_(options), admin_(std::move(admin)) {}

  absl::StatusOr<std::unique_ptr<Producer>> NewProducer(const ProducerOptions& options,
                                                        AckHandler on_ack) override {
    return kafka::KafkaProducer::Create(options_, options, std::move(on_ack));
  }
  absl::StatusOr<std::unique_ptr<Consumer>> NewConsumer(const ConsumerOptions& options) override {
    return kafka::KafkaConsumer::Create(options_, options);
  }
  absl::StatusOr<std::unique_ptr<OffsetReader>> NewOffsetReader() override {
    return kafka::KafkaOffsetReader::Create(options_);
  }
  absl::StatusOr<std::vector<std::string>> EnsureTopics(std::span<const TopicSpec> topics,
                                                        Duration timeout) override {
    std::vector<TopicSpec> named(topics.begin(), topics.end());
    for (TopicSpec& topic : named) topic.name.insert(0, options_.prefix);
    return kafka::EnsureTopics(admin_.get(), named, timeout);
  }
  absl::StatusOr<int> PartitionCount(std::string_view topic, Duration timeout) override {
    return kafka::PartitionCount(admin_.get(), options_.prefix + std::string(topic), timeout);
  }

 private:
  const KafkaOptions options_;
  const kafka::Handle admin_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Bus>> NewKafkaBus(const KafkaOptions& options) {
  ASSIGN_OR_RETURN(kafka::Conf conf, kafka::NewConf(options, {}));
  // A consumer's client: a producer's would create topics by asking for them, where brokers allow
  // it.
  ASSIGN_OR_RETURN(kafka::Handle admin, kafka::NewHandle(RD_KAFKA_CONSUMER, std::move(conf)));
  return std::make_unique<KafkaBus>(options, std::move(admin));
}

}  // namespace orbweaver
