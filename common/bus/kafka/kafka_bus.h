// The bus on Apache Kafka, through librdkafka.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "common/bus/bus.h"

namespace orbweaver {

struct KafkaOptions {
  // host:port, comma-separated; one that answers is enough to find the others.
  std::string brokers = "127.0.0.1:9092";
  std::string client_id = "orbweaver";
  // Any property of librdkafka (SASL, TLS, tuning). Those that the guarantees rest on are refused.
  std::map<std::string, std::string> properties;
};

// Checks the options only; brokers are connected to in the background, and one that is away is an
// error of the first call that needs it. Fatal: a property that librdkafka does not know, or one
// that may not be set.
absl::StatusOr<std::unique_ptr<Bus>> NewKafkaBus(const KafkaOptions& options);

}  // namespace orbweaver
