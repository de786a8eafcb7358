// How the bus reaches its brokers.
#pragma once

#include <map>
#include <string>

#include "common/bus/producer.h"

namespace orbweaver {

namespace config {
class Schema;
}

struct KafkaOptions {
  // host:port, comma-separated; one that answers is enough to find the others.
  std::string brokers = "127.0.0.1:9092";
  std::string client_id = "orbweaver";
  // Before the name of every topic and group.
  std::string prefix;
  // ProducerOptions::delivery_timeout where a producer has none of its own.
  Duration delivery_timeout = kDefaultDeliveryTimeout;
  // Any property of librdkafka (SASL, TLS, tuning). Those that the guarantees rest on are refused.
  std::map<std::string, std::string> properties;
};

// kafka.*; `options` must outlive the schema.
void DeclareKafkaOptions(config::Schema& schema, KafkaOptions* options);

}  // namespace orbweaver
