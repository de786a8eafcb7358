// Shared by producer, consumer, offset reader and topic administration: handles that free
// themselves, configuration, and librdkafka's errors as statuses.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include <librdkafka/rdkafka.h>

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/bus/kafka/broker_contact.h"
#include "common/bus/kafka/kafka_bus.h"

namespace orbweaver::kafka {

template <auto Function>
struct Free {
  template <typename T>
  void operator()(T* pointer) const {
    Function(pointer);
  }
};

// For a client with a group, which does not leave it. librdkafka waits for the answers under way,
// until they come or time out after a minute: waits a second, and leaves the rest to a thread of
// its own.
void DestroyMember(rd_kafka_t* client);

// For a client without one.
inline void DestroyHandle(rd_kafka_t* client) { DestroyClient(client, 0); }

using Handle = std::unique_ptr<rd_kafka_t, Free<DestroyHandle>>;
using MemberHandle = std::unique_ptr<rd_kafka_t, Free<DestroyMember>>;
using Conf = std::unique_ptr<rd_kafka_conf_t, Free<rd_kafka_conf_destroy>>;
using Queue = std::unique_ptr<rd_kafka_queue_t, Free<rd_kafka_queue_destroy>>;
using Event = std::unique_ptr<rd_kafka_event_t, Free<rd_kafka_event_destroy>>;
using TopicHandle = std::unique_ptr<rd_kafka_topic_t, Free<rd_kafka_topic_destroy>>;
using PartitionList =
    std::unique_ptr<rd_kafka_topic_partition_list_t, Free<rd_kafka_topic_partition_list_destroy>>;
using AdminOptions = std::unique_ptr<rd_kafka_AdminOptions_t, Free<rd_kafka_AdminOptions_destroy>>;

// A record of kMaxRecordBytes, with room for what Kafka puts around it: for producers and topics
// alike.
inline constexpr size_t kMaxMessageBytes = kMaxRecordBytes + (size_t{1} << 20);

using Property = std::pair<const char*, std::string>;

// The options' properties over `properties`, over what every client of ours has. Fatal when
// librdkafka refuses one.
absl::StatusOr<Conf> NewConf(const KafkaOptions& options,
                             std::initializer_list<Property> properties);

// Takes `conf`. Fatal, with librdkafka's words, when properties do not go together.
absl::StatusOr<Handle> NewHandle(rd_kafka_type_t type, Conf conf);

// Gives a client that is connected to no broker its brokers' addresses again, and says so in the
// log; never blocks. For a client that got nothing done for kForgottenAfter, or whose request
// failed: librdkafka from 2.10 on drops the brokers that an answer does not name, and when it names
// none, as after a freeze of all brokers, sometimes never looks for one again.
void RemindOfBrokers(rd_kafka_t* client);

inline constexpr Duration kForgottenAfter = std::chrono::seconds(10);

// `action: librdkafka's words`, sorted into retry, fenced and fatal.
absl::Status ToStatus(rd_kafka_resp_err_t error, std::string_view action);

// At least 1 ms, so that a short wait does not become a busy loop, unless there is no time at all.
int Milliseconds(Duration timeout);

PartitionList NewPartitionList(std::string_view topic, std::span<const PartitionId> partitions);

// Of a commit that was read. Without the zero byte at its end: ours have one, and so have those of
// clients that took a C string's (KafkaConsumer::Commit). Empty where there is none.
std::string MetadataOf(const rd_kafka_topic_partition_t& committed);

// One timeout shared by several calls.
class Deadline {
 public:
  explicit Deadline(Duration timeout) : end_(SystemClock().Now() + timeout) {}
  Duration Left() const {
    const Duration left = end_ - SystemClock().Now();
    return left > Duration::zero() ? left : Duration::zero();
  }

 private:
  const SteadyTime end_;
};

}  // namespace orbweaver::kafka
