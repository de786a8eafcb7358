// Our partition function against murmur2_random, which Java clients have by default, on a real
// broker: librdkafka chooses the partition, the broker's acknowledgement says which it was.
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

#include "common/url/partition.h"

namespace orbweaver {
namespace {

constexpr int kTimeoutMs = 60'000;

using Partitions = std::map<std::string, int>;

void OnDelivery(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) return;  // missing in the map, which fails
  const std::string key(static_cast<const char*>(message->key), message->key_len);
  static_cast<Partitions*>(opaque)->emplace(key, message->partition);
}

class PartitionerTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const char* brokers = std::getenv("ORBWEAVER_KAFKA");
    ASSERT_NE(brokers, nullptr) << "ORBWEAVER_KAFKA names no broker. `./run services up` starts "
                                   "one and prints it; `./run test` does both.";
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    char error[512];
    const std::pair<const char*, const char*> settings[] = {
        {"bootstrap.servers", brokers}, {"partitioner", "murmur2_random"}, {"acks", "all"}};
    for (const auto& [name, value] : settings) {
      ASSERT_EQ(rd_kafka_conf_set(conf, name, value, error, sizeof error), RD_KAFKA_CONF_OK)
          << error;
    }
    rd_kafka_conf_set_dr_msg_cb(conf, OnDelivery);
    rd_kafka_conf_set_opaque(conf, &delivered_);
    client_.reset(rd_kafka_new(RD_KAFKA_PRODUCER, conf, error, sizeof error));
    ASSERT_NE(client_, nullptr) << error;
    topic_ = "test-partitioner-" + std::to_string(GetParam()) + "-" + std::to_string(getpid());
    ASSERT_NO_FATAL_FAILURE(CreateTopic());
  }

  void TearDown() override {
    if (!created_) return;
    rd_kafka_DeleteTopic_t* topic = rd_kafka_DeleteTopic_new(topic_.c_str());
    const Queue queue(rd_kafka_queue_new(client_.get()));
    rd_kafka_DeleteTopics(client_.get(), &topic, 1, nullptr, queue.get());
    rd_kafka_event_destroy(rd_kafka_queue_poll(queue.get(), kTimeoutMs));
    rd_kafka_DeleteTopic_destroy(topic);
  }

  void Produce(const std::string& key) {
    rd_kafka_resp_err_t error;
    while ((error = rd_kafka_producev(client_.get(), RD_KAFKA_V_TOPIC(topic_.c_str()),
                                      RD_KAFKA_V_KEY(const_cast<char*>(key.data()), key.size()),
                                      RD_KAFKA_V_VALUE(nullptr, 0),
                                      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END)) ==
           RD_KAFKA_RESP_ERR__QUEUE_FULL) {
      rd_kafka_poll(client_.get(), 100);
    }
    ASSERT_EQ(error, RD_KAFKA_RESP_ERR_NO_ERROR) << rd_kafka_err2str(error);
  }

  // Every key that the broker acknowledged, with its partition.
  const Partitions& Flush() {
    EXPECT_EQ(rd_kafka_flush(client_.get(), kTimeoutMs), RD_KAFKA_RESP_ERR_NO_ERROR);
    return delivered_;
  }

 private:
  struct Deleter {
    void operator()(rd_kafka_t* client) const { rd_kafka_destroy(client); }
    void operator()(rd_kafka_queue_t* queue) const { rd_kafka_queue_destroy(queue); }
  };
  using Queue = std::unique_ptr<rd_kafka_queue_t, Deleter>;

  void CreateTopic() {
    char error[512];
    rd_kafka_NewTopic_t* topic =
        rd_kafka_NewTopic_new(topic_.c_str(), GetParam(), 1, error, sizeof error);
    ASSERT_NE(topic, nullptr) << error;
    const Queue queue(rd_kafka_queue_new(client_.get()));
    rd_kafka_CreateTopics(client_.get(), &topic, 1, nullptr, queue.get());
    rd_kafka_event_t* event = rd_kafka_queue_poll(queue.get(), kTimeoutMs);
    rd_kafka_NewTopic_destroy(topic);
    ASSERT_NE(event, nullptr) << "create topic " << topic_ << ": no answer";
    size_t count = 0;
    const auto* results =
        rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count);
    ASSERT_EQ(count, 1u) << rd_kafka_event_error_string(event);
    ASSERT_EQ(rd_kafka_topic_result_error(results[0]), RD_KAFKA_RESP_ERR_NO_ERROR)
        << rd_kafka_topic_result_error_string(results[0]);
    created_ = true;
    rd_kafka_event_destroy(event);
  }

  Partitions delivered_;
  std::unique_ptr<rd_kafka_t, Deleter> client_;
  std::string topic_;
  bool created_ = false;
};

std::vector<std::string> Domains() {
  std::vector<std::string> domains = {"localhost",
                                      "com",
                                      "co.uk",
                                      "name.co.uk",
                                      "foo.github.io",
                                      "127.0.0.1",
                                      "10.20.30.40",
                                      "[::1]",
                                      "[2001:db8::1]",
                                      "xn--bcher-kva.example",
                                      "xn--fiqs8s",
                                      "b.xn--55qx5d.cn",
                                      "xn--e1afmkfd.xn--p1ai",
                                      std::string(63, 'a') + ".com"};
  // Every length modulo four, which is what murmur2 treats apart.
  for (int i = 0; i < 400; ++i) {
    domains.push_back(std::string(static_cast<size_t>(i) % 7, 'd') + std::to_string(i) +
                      (i % 2 == 0 ? ".com" : ".co.uk"));
  }
  return domains;
}

TEST_P(PartitionerTest, AForeignProducerLandsOnTheOwnersPartition) {
  const std::vector<std::string> domains = Domains();
  for (const std::string& domain : domains) ASSERT_NO_FATAL_FAILURE(Produce(domain));
  const Partitions& delivered = Flush();
  ASSERT_EQ(delivered.size(), domains.size());
  for (const auto& [domain, partition] : delivered) {
    EXPECT_EQ(PartitionOf(SlotOf(domain), GetParam()), PartitionId(partition)) << domain;
  }
}

INSTANTIATE_TEST_SUITE_P(Partitions, PartitionerTest, testing::Values(1, 8, 64),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace orbweaver
