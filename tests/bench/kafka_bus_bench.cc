// The bus on Kafka: what a message costs the client, beside what bare librdkafka costs for the same
// messages.
#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include <librdkafka/rdkafka.h>

#include "common/base/status.h"
#include "common/bus/kafka/kafka_bus.h"
#include "tests/bench/bench.h"
#include "tests/bench/service_cpu.h"

namespace orbweaver {
namespace {

constexpr uint64_t kMessages = 200'000;
constexpr int kRounds = 9;  // ours and the reference in turn; the least CPU of each counts
constexpr size_t kValueBytes = 1000;
constexpr std::string_view kKey = "example.org";
const PartitionId kPartition(0);

// Text that does not repeat itself: realistic for a compressor, and the same in every run.
std::string Payload() {
  std::mt19937 random(1);
  std::string value(kValueBytes, ' ');
  for (char& c : value) c = static_cast<char>('a' + random() % 26);
  return value;
}

struct Cost {
  double cpu_s = 1e9;
  double wall_s = 0;
  double server_s = 0;
};

// Measures from its making to Keep.
class Stopwatch {
 public:
  explicit Stopwatch(const ServiceCpu& server) : server_(server), server_start_(server.Seconds()) {}

  double WallSeconds() const { return timer_.WallSeconds(); }

  void Keep(Cost* least) const {
    const double cpu_s = timer_.CpuSeconds();
    if (cpu_s < least->cpu_s) {
      *least = {cpu_s, timer_.WallSeconds(), server_.Seconds() - server_start_};
    }
  }

 private:
  const ServiceCpu& server_;
  const double server_start_;
  const CpuTimer timer_;
};

absl::Status Produce(Bus& bus, const std::string& topic, const ServiceCpu& server, Cost* cost) {
  uint64_t acked = 0;
  absl::Status failure;
  ASSIGN_OR_RETURN(const auto producer, bus.NewProducer({}, [&](const Ack& ack) {
    ++acked;
    if (!ack.status.ok()) failure = ack.status;
  }));
  const std::string value = Payload();
  const Record record{topic, kPartition, kKey, value, {}};
  RETURN_IF_ERROR(producer->Send(record, 0));  // the connection is made outside the measurement
  RETURN_IF_ERROR(producer->Flush(std::chrono::seconds(30)));
  const Stopwatch timer(server);
  for (uint64_t i = 1; i < kMessages; ++i) {
    absl::Status sent = producer->Send(record, i);
    while (IsRetry(sent)) {
      producer->Poll(std::chrono::milliseconds(10));
      sent = producer->Send(record, i);
    }
    RETURN_IF_ERROR(sent);
    if (i % 1024 == 0) producer->Poll(Duration::zero());
  }
  RETURN_IF_ERROR(producer->Flush(std::chrono::seconds(60)));
  RETURN_IF_ERROR(failure);
  if (acked != kMessages) return FatalError("{} acks for {} messages", acked, kMessages);
  timer.Keep(cost);
  return absl::OkStatus();
}

absl::Status Consume(Bus& bus, const std::string& topic, const ServiceCpu& server, Cost* cost) {
  ASSIGN_OR_RETURN(const auto consumer, bus.NewConsumer({.group = "bench"}));
  const AssignedPartition start{.partition = kPartition};
  RETURN_IF_ERROR(consumer->Assign(topic, {&start, 1}));
  MessageBatch batch;
  uint64_t seen = 0;
  size_t bytes = 0;
  const Stopwatch timer(server);
  while (seen < kMessages && timer.WallSeconds() < 60) {
    RETURN_IF_ERROR(consumer->Poll({}, std::chrono::seconds(1), &batch));
    for (const Message& message : batch.messages()) bytes += message.value.size();
    seen += batch.messages().size();
  }
  // Earlier rounds' messages stand in the log too: a batch may go past ours.
  if (seen < kMessages || bytes != seen * kValueBytes) {
    return FatalError("{} messages with {} bytes came, expected {}", seen, bytes, kMessages);
  }
  timer.Keep(cost);
  return absl::OkStatus();
}

struct Bare {
  std::string brokers;
  std::string topic;
  const ServiceCpu& server;

  rd_kafka_t* Client(rd_kafka_type_t type,
                     std::initializer_list<std::pair<const char*, const char*>> set,
                     void (*delivered)(rd_kafka_t*, const rd_kafka_message_t*, void*)) const {
    char why[256];
    rd_kafka_conf_t* const conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", brokers.c_str(), why, sizeof why);
    for (const auto& [name, value] : set) rd_kafka_conf_set(conf, name, value, why, sizeof why);
    if (delivered != nullptr) rd_kafka_conf_set_dr_msg_cb(conf, delivered);
    return rd_kafka_new(type, conf, why, sizeof why);
  }

  void Produce(Cost* cost) const {
    rd_kafka_t* const client = Client(RD_KAFKA_PRODUCER,
                                      {{"enable.idempotence", "true"},
                                       {"queue.buffering.max.messages", "10000000"},
                                       {"queue.buffering.max.kbytes", "32768"}},
                                      [](rd_kafka_t*, const rd_kafka_message_t*, void*) {});
    rd_kafka_topic_t* const handle = rd_kafka_topic_new(client, topic.c_str(), nullptr);
    const std::string value = Payload();
    const auto send = [&] {
      return rd_kafka_producev(
          client, RD_KAFKA_V_RKT(handle), RD_KAFKA_V_PARTITION(0),
          RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_KEY(kKey.data(), kKey.size()),
          RD_KAFKA_V_VALUE(const_cast<char*>(value.data()), value.size()), RD_KAFKA_V_END);
    };
    send();
    rd_kafka_flush(client, 30'000);
    const Stopwatch timer(server);
    for (uint64_t i = 1; i < kMessages; ++i) {
      while (send() == RD_KAFKA_RESP_ERR__QUEUE_FULL) rd_kafka_poll(client, 10);
      if (i % 1024 == 0) rd_kafka_poll(client, 0);
    }
    rd_kafka_flush(client, 60'000);
    timer.Keep(cost);
    rd_kafka_topic_destroy(handle);
    rd_kafka_destroy(client);
  }

  void Consume(Cost* cost) const {
    rd_kafka_t* const client = Client(
        RD_KAFKA_CONSUMER, {{"group.id", "bare"}, {"auto.offset.reset", "earliest"}}, nullptr);
    rd_kafka_topic_partition_list_t* const list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, topic.c_str(), 0)->offset = 0;
    rd_kafka_assign(client, list);
    rd_kafka_queue_t* const queue = rd_kafka_queue_get_consumer(client);
    rd_kafka_message_t* messages[512];
    uint64_t seen = 0;
    const Stopwatch timer(server);
    while (seen < kMessages && timer.WallSeconds() < 60) {
      const ssize_t n = rd_kafka_consume_batch_queue(queue, 1000, messages, std::size(messages));
      for (ssize_t i = 0; i < n; ++i) {
        rd_kafka_headers_t* headers = nullptr;
        const char* name;
        const void* value;
        size_t size;
        if (rd_kafka_message_headers(messages[i], &headers) == RD_KAFKA_RESP_ERR_NO_ERROR) {
          rd_kafka_header_get_all(headers, 0, &name, &value, &size);
        }
        seen += messages[i]->err == RD_KAFKA_RESP_ERR_NO_ERROR;
        rd_kafka_message_destroy(messages[i]);
      }
    }
    timer.Keep(cost);
    rd_kafka_queue_destroy(queue);
    rd_kafka_topic_partition_list_destroy(list);
    rd_kafka_consumer_close(client);
    rd_kafka_destroy(client);
  }
};

void KafkaBusBench(BenchReport& report) {
  const char* const brokers = std::getenv("ORBWEAVER_KAFKA");
  if (brokers == nullptr) {
    report.Fail("kafka_produce",
                "ORBWEAVER_KAFKA is not set: start Kafka with `./run services up`");
    return;
  }
  const absl::Status status = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto bus, NewKafkaBus({.brokers = brokers}));
    // Topics of this run only; short retention lets the broker forget them.
    const std::string run = fmt::format("{:x}", std::random_device()());
    const ServiceCpu server("kafka");
    const Bare bare{brokers, "bench-bare-" + run, server};
    const TopicSpec topics[] = {
        {.name = "bench-" + run, .retention = std::chrono::minutes(10)},
        {.name = bare.topic, .retention = std::chrono::minutes(10)},
    };
    RETURN_IF_ERROR(bus->EnsureTopics(topics, std::chrono::seconds(30)).status());
    Cost produce, consume, bare_produce, bare_consume;
    for (int round = 0; round < kRounds; ++round) {
      RETURN_IF_ERROR(Produce(*bus, topics[0].name, server, &produce));
      bare.Produce(&bare_produce);
      RETURN_IF_ERROR(Consume(*bus, topics[0].name, server, &consume));
      bare.Consume(&bare_consume);
    }
    const auto add = [&report](const char* name, const Cost& cost, const char* limit) {
      report.Add(name, kMessages / cost.cpu_s, "messages/cpu_s", cost.cpu_s, cost.wall_s, limit);
    };
    const auto add_server = [&report](const char* name, const Cost& cost) {
      report.Add(name, cost.server_s / kMessages * 1e6, "server_us/message", cost.server_s,
                 cost.wall_s, "CPU of the broker's JVM");
    };
    add("kafka_produce", produce, "CPU: librdkafka's copy, framing and CRC of 1 KB messages");
    if (server.found()) add_server("kafka_produce_server", produce);
    add("librdkafka_produce", bare_produce, "reference: the same messages without our code");
    report.Add("kafka_produce_ratio", produce.cpu_s / bare_produce.cpu_s, "of librdkafka's CPU",
               produce.cpu_s, produce.wall_s, "our share: byte budget, acks, header names");
    add("kafka_consume", consume, "CPU: librdkafka's fetch and message objects");
    if (server.found()) add_server("kafka_consume_server", consume);
    add("librdkafka_consume", bare_consume, "reference: the same messages without our code");
    report.Add("kafka_consume_ratio", consume.cpu_s / bare_consume.cpu_s, "of librdkafka's CPU",
               consume.cpu_s, consume.wall_s, "our share: batches of views");
    return absl::OkStatus();
  }();
  if (!status.ok()) report.Fail("kafka", MessageOf(status));
}

ORBWEAVER_BENCH("bus", KafkaBusBench);

}  // namespace
}  // namespace orbweaver
