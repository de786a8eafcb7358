// A consumer whose broker does not answer in good time, which no real broker can be brought to. The
// contract suite has the rest, on real brokers.
#include "common/bus/kafka/kafka_consumer.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <librdkafka/rdkafka_mock.h>

#include "common/base/check.h"
#include "common/base/status.h"

namespace orbweaver::kafka {
namespace {

constexpr int16_t kOffsetFetch = 9;  // Kafka's number of the request

class Notes : public RebalanceListener {
 public:
  void OnAssigned(std::span<const AssignedPartition> partitions) override {
    assigned += partitions.size();
  }
  void OnRevoked(std::span<const PartitionId> partitions) override { revoked += partitions.size(); }
  void OnLost(std::span<const PartitionId> partitions) override { lost += partitions.size(); }

  size_t assigned = 0;
  size_t revoked = 0;
  size_t lost = 0;
};

// A broker of librdkafka's own.
class ConsumerTakeOverTest : public ::testing::TestWithParam<const char*> {
 protected:
  ConsumerTakeOverTest() {
    auto conf = NewConf({.brokers = "127.0.0.1:1"}, {});
    CHECK_OK(conf.status());
    auto host = NewHandle(RD_KAFKA_PRODUCER, *std::move(conf));
    CHECK_OK(host.status());
    host_ = *std::move(host);
    broker_.reset(rd_kafka_mock_cluster_new(host_.get(), 1));
    rd_kafka_mock_topic_create(broker_.get(), "t", 2, 1);
    rd_kafka_mock_coordinator_set(broker_.get(), "group", "group", 1);
    kafka_.brokers = rd_kafka_mock_cluster_bootstraps(broker_.get());
  }

  std::unique_ptr<Consumer> Join(Duration close_timeout = std::chrono::seconds(10)) {
    auto consumer = KafkaConsumer::Create(kafka_, {.group = "group",
                                                   .member = GetParam(),
                                                   .session_timeout = std::chrono::seconds(6),
                                                   .close_timeout = close_timeout});
    CHECK_OK(consumer.status());
    CHECK_OK((*consumer)->Subscribe("t", &notes_));
    return *std::move(consumer);
  }

  // Each answer to "where does the group stand?" is that the coordinator is still loading.
  void Loading() {
    const std::vector<rd_kafka_resp_err_t> errors(10'000,
                                                  RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS);
    rd_kafka_mock_push_request_errors_array(broker_.get(), kOffsetFetch, errors.size(),
                                            errors.data());
  }
  void Loaded() { rd_kafka_mock_clear_request_errors(broker_.get(), kOffsetFetch); }

  KafkaOptions kafka_;
  Handle host_;
  std::unique_ptr<rd_kafka_mock_cluster_t, Free<rd_kafka_mock_cluster_destroy>> broker_;
  Notes notes_;
};

TEST_P(ConsumerTakeOverTest,
       WhoIsNotToldWhereItsPartitionsStandIsFencedAndAnotherOneReadsUntilItIsClosed) {
  Loading();
  auto consumer = Join();
  const SteadyTime end = SystemClock().Now() + std::chrono::minutes(2);
  absl::Status polled;
  MessageBatch batch;
  while (polled.ok() && SystemClock().Now() < end) {
    polled = consumer->Poll({}, std::chrono::milliseconds(100), &batch);
  }
  EXPECT_TRUE(IsFenced(polled)) << polled;
  EXPECT_EQ(notes_.assigned, 0u);
  EXPECT_TRUE(IsFenced(consumer->Poll({}, std::chrono::milliseconds(100), &batch))) << "for ever";
  Loaded();
  consumer = Join(Duration::zero());
  while (notes_.assigned == 0 && SystemClock().Now() < end) {
    const absl::Status status = consumer->Poll({}, std::chrono::milliseconds(100), &batch);
    ASSERT_TRUE(status.ok() || IsRetry(status)) << status;
  }
  EXPECT_EQ(notes_.assigned, 2u);
  // There is no time to leave the group: the partitions are not its own any more, in any case.
  consumer->Close(Departure::kForNow);
  EXPECT_EQ(notes_.lost, 2u);
  EXPECT_EQ(notes_.revoked, 0u);
}

INSTANTIATE_TEST_SUITE_P(Members, ConsumerTakeOverTest, ::testing::Values("", "named"));

}  // namespace
}  // namespace orbweaver::kafka
