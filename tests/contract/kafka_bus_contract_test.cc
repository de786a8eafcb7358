// The bus's suite on a real Kafka.
#include <memory>
#include <string>

#include <librdkafka/rdkafka.h>

#include "common/bus/kafka/kafka_bus.h"
#include "tests/contract/bus_contract.h"
#include "tests/support/real_services.h"

namespace orbweaver {
namespace {

// The whole suite runs with a prefix, which must show nowhere.
constexpr char kPrefix[] = "suite-";

class KafkaBusEnv : public BusEnv {
 public:
  Bus& bus() override {
    if (bus_ == nullptr) Reopen();
    return *bus_;
  }

  void Reopen() override {
    bus_.reset();
    auto bus =
        NewKafkaBus({.brokers = brokers_, .prefix = kPrefix, .properties = KafkaProperties()});
    EXPECT_OK(bus);
    bus_ = *std::move(bus);
  }

  void KillServer() override { RunServices("kill kafka"); }
  void StartServer() override { RunServices("restart kafka"); }
  void FreezeServer() override { RunServices("freeze kafka"); }
  void ThawServer() override { RunServices("thaw kafka"); }

  // Deletes records as Kafka's own kafka-delete-records does.
  void CutLog(const std::string& topic, PartitionId partition, Offset start) override {
    char why[256];
    rd_kafka_conf_t* const conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", brokers_.c_str(), why, sizeof why);
    for (const auto& [name, value] : KafkaProperties()) {
      rd_kafka_conf_set(conf, name.c_str(), value.c_str(), why, sizeof why);
    }
    rd_kafka_t* const client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why);
    rd_kafka_topic_partition_list_t* const list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, (kPrefix + topic).c_str(), partition.value())->offset =
        start.value();
    rd_kafka_DeleteRecords_t* request = rd_kafka_DeleteRecords_new(list);
    rd_kafka_queue_t* const answers = rd_kafka_queue_new(client);
    rd_kafka_DeleteRecords(client, &request, 1, nullptr, answers);
    rd_kafka_event_t* const event = rd_kafka_queue_poll(answers, 60'000);
    ASSERT_NE(event, nullptr);
    EXPECT_EQ(rd_kafka_event_error(event), RD_KAFKA_RESP_ERR_NO_ERROR)
        << rd_kafka_event_error_string(event);
    rd_kafka_event_destroy(event);
    rd_kafka_queue_destroy(answers);
    rd_kafka_DeleteRecords_destroy(request);
    rd_kafka_topic_partition_list_destroy(list);
    rd_kafka_destroy(client);
  }

  // Twice the local broker's group.min.session.timeout.ms: on a busy machine a heartbeat may be
  // late.
  Duration ShortestSession() const override { return std::chrono::seconds(2); }

 private:
  const std::string brokers_ = ServiceAddress("ORBWEAVER_KAFKA");
  std::unique_ptr<Bus> bus_;
};

INSTANTIATE_TEST_SUITE_P(Kafka, BusContract,
                         ::testing::Values(BusEnvFactory{"kafka", []() -> std::unique_ptr<BusEnv> {
                                                           return std::make_unique<KafkaBusEnv>();
                                                         }}));

TEST(KafkaPrefix, KeepsTheTopicsAndGroupsOfTwoCrawlsApart) {
  const std::string brokers = ServiceAddress("ORBWEAVER_KAFKA");
  const auto one =
      NewKafkaBus({.brokers = brokers, .prefix = "one-", .properties = KafkaProperties()});
  const auto plain = NewKafkaBus({.brokers = brokers, .properties = KafkaProperties()});
  ASSERT_OK(one);
  ASSERT_OK(plain);
  constexpr Duration kTimeout = std::chrono::seconds(60);
  const TopicSpec spec{.name = "prefixed", .partitions = 2};
  ASSERT_OK((*one)->EnsureTopics({&spec, 1}, kTimeout));
  EXPECT_EQ((*one)->PartitionCount("prefixed", kTimeout).value(), 2);
  EXPECT_EQ((*plain)->PartitionCount("one-prefixed", kTimeout).value(), 2);
  EXPECT_EQ((*plain)->PartitionCount("prefixed", kTimeout).value(), 0);

  auto consumer = (*one)->NewConsumer({.group = "group"});
  ASSERT_OK(consumer);
  const AssignedPartition first{.partition = PartitionId(0)};
  ASSERT_OK((*consumer)->Assign("prefixed", {&first, 1}));
  const OffsetCommit commit{.partition = PartitionId(0), .offset = Offset(0), .metadata = "7"};
  ASSERT_OK((*consumer)->Commit({&commit, 1}, kTimeout));
  const auto reader = (*plain)->NewOffsetReader();
  ASSERT_OK(reader);
  const PartitionId partition(0);
  const auto committed =
      (*reader)->Committed("one-group", "one-prefixed", {&partition, 1}, kTimeout);
  ASSERT_OK(committed);
  ASSERT_TRUE((*committed)[0].has_value());
  EXPECT_EQ((*committed)[0]->metadata, "7");
}

}  // namespace
}  // namespace orbweaver
