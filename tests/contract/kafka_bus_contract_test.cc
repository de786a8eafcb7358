// The bus's suite on a real Kafka.
#include <memory>
#include <string>

#include <librdkafka/rdkafka.h>

#include "common/bus/kafka/kafka_bus.h"
#include "tests/contract/bus_contract.h"
#include "tests/support/real_services.h"

namespace orbweaver {
namespace {

class KafkaBusEnv : public BusEnv {
 public:
  Bus& bus() override {
    if (bus_ == nullptr) Reopen();
    return *bus_;
  }

  void Reopen() override {
    bus_.reset();
    auto bus = NewKafkaBus({.brokers = brokers_});
    EXPECT_OK(bus);
    bus_ = *std::move(bus);
  }

  void KillServer() override { RunServices("kill kafka"); }
  void StartServer() override { RunServices("restart kafka"); }
  void FreezeServer() override { RunServices("freeze kafka"); }
  void ThawServer() override { RunServices("thaw kafka"); }

  // What Kafka's own kafka-delete-records does.
  void CutLog(const std::string& topic, PartitionId partition, Offset start) override {
    char why[256];
    rd_kafka_conf_t* const conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", brokers_.c_str(), why, sizeof why);
    rd_kafka_t* const client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why);
    rd_kafka_topic_partition_list_t* const list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, topic.c_str(), partition.value())->offset =
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

}  // namespace
}  // namespace orbweaver
