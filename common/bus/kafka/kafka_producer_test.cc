#include "common/bus/kafka/kafka_producer.h"

#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <librdkafka/rdkafka_mock.h>

#include "common/base/status.h"

namespace orbweaver::kafka {
namespace {

// Nobody listens on port 1: a cluster that is away.
const KafkaOptions kNoBroker{.brokers = "127.0.0.1:1"};

class ProducerWithoutBroker : public ::testing::Test {
 protected:
  void Start(const ProducerOptions& options) {
    auto made =
        KafkaProducer::Create(kNoBroker, options, [this](const Ack& ack) { acks_.push_back(ack); });
    ASSERT_TRUE(made.ok()) << made.status();
    producer_ = *std::move(made);
  }

  const Record record_{"spider-log", PartitionId(0), "key", "0123456789", {}};
  std::vector<Ack> acks_;
  std::unique_ptr<Producer> producer_;
};

TEST_F(ProducerWithoutBroker, GivesUpEverythingAtOnceSoThatNothingFollowsALostRecord) {
  Start({.delivery_timeout = std::chrono::milliseconds(50)});
  for (uint64_t token = 1; token <= 3; ++token) {
    ASSERT_TRUE(producer_->Send(record_, token).ok());
  }
  EXPECT_TRUE(producer_->Flush(std::chrono::minutes(2)).ok());
  ASSERT_EQ(acks_.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(acks_[i].token, i + 1);
    EXPECT_TRUE(IsFenced(acks_[i].status)) << acks_[i].status;
  }
  EXPECT_TRUE(IsFenced(producer_->Send(record_, 4)));
}

TEST_F(ProducerWithoutBroker, AFullByteBudgetIsBackPressure) {
  Start({.max_bytes = 20});
  ASSERT_TRUE(producer_->Send(record_, 1).ok());
  EXPECT_TRUE(IsRetry(producer_->Send(record_, 2)));
  EXPECT_TRUE(acks_.empty());
}

TEST_F(ProducerWithoutBroker, FlushSaysWhatIsStillUnderWay) {
  Start({});
  ASSERT_TRUE(producer_->Send(record_, 1).ok());
  const absl::Status flushed = producer_->Flush(std::chrono::milliseconds(1));
  EXPECT_EQ(flushed.code(), absl::StatusCode::kDeadlineExceeded) << flushed;
}

TEST_F(ProducerWithoutBroker, IsDestroyedWithoutWaitingForTheBroker) {
  Start({});
  ASSERT_TRUE(producer_->Send(record_, 1).ok());
  producer_.reset();  // hangs until the test's time limit otherwise
}

// Two of librdkafka's mock brokers, each the leader of a partition.
class ProducerWithTwoBrokers : public ::testing::Test {
 protected:
  ProducerWithTwoBrokers() {
    auto conf = NewConf(kNoBroker, {});
    EXPECT_TRUE(conf.ok());
    auto host = NewHandle(RD_KAFKA_PRODUCER, *std::move(conf));
    EXPECT_TRUE(host.ok());
    host_ = *std::move(host);
    brokers_.reset(rd_kafka_mock_cluster_new(host_.get(), 2));
    rd_kafka_mock_topic_create(brokers_.get(), "t", 2, 1);
    rd_kafka_mock_partition_set_leader(brokers_.get(), "t", 0, 1);
    rd_kafka_mock_partition_set_leader(brokers_.get(), "t", 1, 2);
  }
  KafkaOptions Options() const {
    return {.brokers = rd_kafka_mock_cluster_bootstraps(brokers_.get())};
  }

  Handle host_;
  std::unique_ptr<rd_kafka_mock_cluster_t, Free<rd_kafka_mock_cluster_destroy>> brokers_;
};

TEST_F(ProducerWithTwoBrokers, GivesUpWhenOnePartitionStandsStillHoweverWellTheOtherDoes) {
  std::map<PartitionId, size_t> acked;
  std::map<PartitionId, size_t> lost;
  const ProducerOptions options{.delivery_timeout = std::chrono::seconds(2)};
  auto made = KafkaProducer::Create(Options(), options, [&](const Ack& ack) {
    ++(ack.status.ok() ? acked : lost)[ack.partition];
  });
  ASSERT_TRUE(made.ok()) << made.status();
  Producer& producer = **made;
  // Both work, each by its broker.
  for (const int32_t partition : {0, 1}) {
    ASSERT_TRUE(producer.Send({"t", PartitionId(partition), "k", "v", {}}, 0).ok());
  }
  ASSERT_TRUE(producer.Flush(std::chrono::minutes(1)).ok());
  ASSERT_EQ(acked.size(), 2u);

  rd_kafka_mock_broker_set_down(brokers_.get(), 2);
  ASSERT_TRUE(producer.Send({"t", PartitionId(1), "k", "v", {}}, 0).ok());
  const SteadyTime end = SystemClock().Now() + std::chrono::minutes(1);
  while (lost.empty() && SystemClock().Now() < end) {
    const absl::Status sent = producer.Send({"t", PartitionId(0), "k", "v", {}}, 0);
    ASSERT_TRUE(sent.ok()) << sent;
    producer.Poll(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(lost[PartitionId(1)], 1u);
  EXPECT_GT(acked[PartitionId(0)], 1u) << "the other partition did not go on";
  const absl::Status sent = producer.Send({"t", PartitionId(0), "k", "v", {}}, 0);
  EXPECT_TRUE(IsFenced(sent)) << sent;
  EXPECT_NE(MessageOf(sent).find("t partition 1"), std::string_view::npos) << sent;
}

}  // namespace
}  // namespace orbweaver::kafka
