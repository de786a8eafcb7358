#include "common/bus/kafka/client.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <future>
#include <limits>
#include <thread>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/status.h"

namespace orbweaver::kafka {
namespace {

// The guarantees rest on these; a configuration that changed one would break them silently.
constexpr std::string_view kReserved[] = {
    "acks",
    "allow.auto.create.topics",
    "auto.offset.reset",
    "bootstrap.servers",
    "delivery.timeout.ms",
    "enable.auto.commit",
    "enable.auto.offset.store",
    "enable.gapless.guarantee",
    "enable.idempotence",
    "group.id",
    "group.instance.id",
    "max.in.flight.requests.per.connection",
    "max.poll.interval.ms",
    "message.send.max.retries",
    "message.timeout.ms",
    "metadata.broker.list",
    "partition.assignment.strategy",
    "request.required.acks",
    "retries",
    "session.timeout.ms",
    "transactional.id",
};

// librdkafka says of a file that it cannot read neither its name nor why.
constexpr std::string_view kFiles[] = {
    "ssl.ca.location",  "ssl.certificate.location", "ssl.crl.location",
    "ssl.key.location", "ssl.keystore.location",    "sasl.kerberos.keytab",
};

constexpr Duration kDestroyPatience = std::chrono::seconds(1);

absl::Status Set(rd_kafka_conf_t* conf, const std::string& name, const std::string& value) {
  char why[512];
  if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), why, sizeof why) != RD_KAFKA_CONF_OK) {
    return FatalError("kafka.properties.{}: {}", name, why);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Conf> NewConf(const KafkaOptions& options,
                             std::initializer_list<Property> properties) {
  Conf conf(rd_kafka_conf_new());
  WatchContact(conf.get(), /*is_awaited=*/false);
  RETURN_IF_ERROR(Set(conf.get(), "bootstrap.servers", options.brokers));
  RETURN_IF_ERROR(Set(conf.get(), "client.id", options.client_id));
  RETURN_IF_ERROR(Set(conf.get(), "client.software.name", "orbweaver"));
  // A broker that restarts is looked for again soon: a worker should go on a second later, not ten.
  RETURN_IF_ERROR(Set(conf.get(), "reconnect.backoff.max.ms", "1000"));
  for (const auto& [name, value] : properties) RETURN_IF_ERROR(Set(conf.get(), name, value));
  for (const auto& [name, value] : options.properties) {
    if (std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved)) {
      return FatalError(
          "kafka.properties.{}: Orbweaver sets it itself, its guarantees rest on it. Remove it",
          name);
    }
    const bool is_file = std::find(std::begin(kFiles), std::end(kFiles), name) != std::end(kFiles);
    if (is_file && value != "probe" && access(value.c_str(), R_OK) != 0) {
      return FatalError("kafka.properties.{}: {}: {}", name, value, std::strerror(errno));
    }
    RETURN_IF_ERROR(Set(conf.get(), name, value));
  }
  return conf;
}

absl::StatusOr<Handle> NewHandle(rd_kafka_type_t type, Conf conf) {
  char why[512];
  rd_kafka_t* const handle = rd_kafka_new(type, conf.get(), why, sizeof why);
  if (handle == nullptr) return FatalError("create Kafka client: {}", why);
  (void)conf.release();  // the client's now
  return Handle(handle);
}

void RemindOfBrokers(rd_kafka_t* client) {
  // Without time for an answer it only tells whether there is a connection to ask through.
  const rd_kafka_metadata_t* metadata = nullptr;
  const rd_kafka_resp_err_t error = rd_kafka_metadata(client, 0, nullptr, &metadata, 0);
  if (metadata != nullptr) rd_kafka_metadata_destroy(metadata);
  if (error != RD_KAFKA_RESP_ERR__TRANSPORT) return;
  char addresses[4096];
  size_t size = sizeof addresses;
  if (rd_kafka_conf_get(rd_kafka_conf(client), "bootstrap.servers", addresses, &size) !=
      RD_KAFKA_CONF_OK) {
    return;
  }
  Log(LogLevel::kInfo, "kafka", "{}: connected to no broker, looks for {} again",
      rd_kafka_name(client), addresses);
  rd_kafka_brokers_add(client, addresses);
}

void DestroyMember(rd_kafka_t* client) {
  std::promise<void> destroyed;
  std::future<void> done = destroyed.get_future();
  std::thread thread([client, destroyed = std::move(destroyed)]() mutable {
    DestroyClient(client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    destroyed.set_value();
  });
  if (done.wait_for(kDestroyPatience) == std::future_status::ready) return thread.join();
  thread.detach();
}

absl::Status ToStatus(rd_kafka_resp_err_t error, std::string_view action) {
  switch (error) {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
      return absl::OkStatus();
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
      return TimeoutError("{}: {}", action, rd_kafka_err2str(error));
    // Of a client that was let in before: AwaitBroker decides for those that begin.
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__RESOLVE:
    case RD_KAFKA_RESP_ERR__WAIT_COORD:
    case RD_KAFKA_RESP_ERR__WAIT_CACHE:
    case RD_KAFKA_RESP_ERR__DESTROY:
    case RD_KAFKA_RESP_ERR__OUTDATED:
    case RD_KAFKA_RESP_ERR__RETRY:
    case RD_KAFKA_RESP_ERR__SSL:
    case RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE:
    case RD_KAFKA_RESP_ERR__IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_LISTENER_NOT_FOUND:
    case RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION:
    case RD_KAFKA_RESP_ERR_NOT_CONTROLLER:
    case RD_KAFKA_RESP_ERR_NOT_COORDINATOR:
    case RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS:
    case RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND:
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
    case RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_PREFERRED_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_THROTTLING_QUOTA_EXCEEDED:
    case RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT:
      return RetryError("{}: {}", action, rd_kafka_err2str(error));
    case RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID:
    case RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION:
    case RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID:
    case RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST:
    case RD_KAFKA_RESP_ERR__FENCED:
    case RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED:
      return FencedError("{}: {}", action, rd_kafka_err2str(error));
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
      return FatalError("{}: {}. Topics are created by `orbweaver init`", action,
                        rd_kafka_err2str(error));
    default:
      return FatalError("{}: {}", action, rd_kafka_err2str(error));
  }
}

int Milliseconds(Duration timeout) {
  if (timeout <= Duration::zero()) return 0;
  const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
  return static_cast<int>(std::min<int64_t>(rounded, std::numeric_limits<int>::max()));
}

PartitionList NewPartitionList(std::string_view topic, std::span<const PartitionId> partitions) {
  PartitionList list(rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  const std::string name(topic);
  for (const PartitionId partition : partitions) {
    rd_kafka_topic_partition_list_add(list.get(), name.c_str(), partition.value());
  }
  return list;
}

std::string MetadataOf(const rd_kafka_topic_partition_t& committed) {
  if (committed.metadata == nullptr) return {};
  std::string metadata(static_cast<const char*>(committed.metadata), committed.metadata_size);
  if (metadata.ends_with('\0')) metadata.pop_back();
  return metadata;
}

}  // namespace orbweaver::kafka
