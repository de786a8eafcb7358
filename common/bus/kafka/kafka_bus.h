// The bus on Apache Kafka, through librdkafka.
#pragma once

#include <memory>

#include "common/bus/bus.h"
#include "common/bus/kafka/kafka_options.h"

namespace orbweaver {

// Checks the options only; brokers are connected to in the background, and one that is away is an
// error of the first call that needs it. Fatal: a property that librdkafka does not know, or one
// that may not be set.
absl::StatusOr<std::unique_ptr<Bus>> NewKafkaBus(const KafkaOptions& options);

// The same check alone, without connecting to anything.
absl::Status CheckKafkaOptions(const KafkaOptions& options);

}  // namespace orbweaver
