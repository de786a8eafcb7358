#include "common/bus/kafka/kafka_producer.h"

#include <vector>

#include <gtest/gtest.h>

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
  const absl::Status flushed = producer_->Flush(std::chrono::minutes(2));
  EXPECT_TRUE(IsFatal(flushed)) << flushed;
  ASSERT_EQ(acks_.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(acks_[i].token, i + 1);
    EXPECT_TRUE(IsFatal(acks_[i].status));
  }
  EXPECT_TRUE(IsFatal(producer_->Send(record_, 4)));
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

}  // namespace
}  // namespace orbweaver::kafka
