#include "common/bus/kafka/kafka_options.h"

#include "common/config/schema.h"

namespace orbweaver {

void DeclareKafkaOptions(config::Schema& schema, KafkaOptions* options) {
  schema.Add("kafka.brokers", &options->brokers,
             {.doc = "Brokers, HOST:PORT each, separated by commas; one that answers is enough"});
  schema.Add("kafka.client_id", &options->client_id,
             {.doc = "How the brokers' logs and metrics name this process"});
  schema.Add("kafka.prefix", &options->prefix,
             {.doc = "Before the name of each topic and consumer group, so that several crawls "
                     "can share a cluster"});
  schema.Add("kafka.delivery_timeout", &options->delivery_timeout,
             {.min = std::chrono::seconds(1),
              .doc = "After so long without an acknowledgement from a partition's leader a worker "
                     "gives up all that it has sent and begins anew from the store, which loses "
                     "nothing"});
  schema.Add(
      "kafka.properties", &options->properties,
      {.shown_keys = {"security.protocol", "sasl.mechanism*", "sasl.username", "client.*",
                      "compression.*", "*.ms", "*.bytes", "*.kbytes", "*.messages", "*.location",
                      "broker.address.*", "enable.*", "debug", "retries", "acks"},
       .doc = "Any property of librdkafka, by its own name, for example security.protocol or "
              "linger.ms; those that the guarantees rest on are refused"});
}

}  // namespace orbweaver
