#include "common/bus/kafka/client.h"

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/kafka/topics.h"

namespace orbweaver::kafka {
namespace {

TEST(KafkaClientTest, APropertyThatTheGuaranteesRestOnIsRefusedByName) {
  for (const char* name : {"acks", "enable.auto.commit", "message.timeout.ms", "group.id"}) {
    const auto bus = NewKafkaBus({.properties = {{name, "1"}}});
    ASSERT_TRUE(IsFatal(bus.status())) << name;
    EXPECT_NE(MessageOf(bus.status()).find(name), std::string_view::npos) << bus.status();
  }
}

TEST(KafkaClientTest, AMisspelledPropertyIsRefusedByName) {
  const auto bus = NewKafkaBus({.properties = {{"linger.mss", "5"}}});
  ASSERT_TRUE(IsFatal(bus.status()));
  EXPECT_NE(MessageOf(bus.status()).find("kafka.properties.linger.mss"), std::string_view::npos);
}

TEST(KafkaClientTest, AFileThatCannotBeReadIsNamed) {
  const auto bus = NewKafkaBus({.properties = {{"ssl.ca.location", "/nowhere"}}});
  ASSERT_TRUE(IsFatal(bus.status()));
  EXPECT_EQ(MessageOf(bus.status()),
            "kafka.properties.ssl.ca.location: /nowhere: No such file or directory");
}

TEST(KafkaClientTest, AnyOtherPropertyPassesThrough) {
  EXPECT_TRUE(NewKafkaBus({.properties = {{"linger.ms", "50"}, {"fetch.min.bytes", "10"}}}).ok());
}

TEST(KafkaClientTest, ErrorsAreSortedByWhatTheCallerCanDo) {
  EXPECT_TRUE(ToStatus(RD_KAFKA_RESP_ERR_NO_ERROR, "x").ok());
  EXPECT_TRUE(IsRetry(ToStatus(RD_KAFKA_RESP_ERR__TRANSPORT, "x")));
  EXPECT_TRUE(IsRetry(ToStatus(RD_KAFKA_RESP_ERR__AUTHENTICATION, "x")));
  EXPECT_TRUE(IsRetry(ToStatus(RD_KAFKA_RESP_ERR__TIMED_OUT, "x")));
  EXPECT_TRUE(IsFenced(ToStatus(RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, "x")));
  EXPECT_TRUE(IsFenced(ToStatus(RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, "x")));
  EXPECT_TRUE(IsFatal(ToStatus(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, "x")));
  EXPECT_TRUE(IsFatal(ToStatus(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, "x")));
}

TEST(KafkaClientTest, AClientWithoutABrokerSaysThatItLooksForOneAgain) {
  auto conf = NewConf({.brokers = "127.0.0.1:1", .client_id = "lost"}, {});
  ASSERT_TRUE(conf.ok()) << conf.status();
  const auto client = NewHandle(RD_KAFKA_CONSUMER, *std::move(conf));
  ASSERT_TRUE(client.ok()) << client.status();
  ::testing::internal::CaptureStderr();
  const absl::Status asked = PartitionCount(client->get(), "t", Duration::zero()).status();
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(IsRetry(asked)) << asked;
  EXPECT_NE(log.find("connected to no broker, looks for 127.0.0.1:1 again"), std::string::npos)
      << log;
}

TEST(KafkaClientTest, AShortWaitIsNoBusyLoopAndALongOneDoesNotOverflow) {
  EXPECT_EQ(Milliseconds(Duration::zero()), 0);
  EXPECT_EQ(Milliseconds(std::chrono::nanoseconds(1)), 1);
  EXPECT_EQ(Milliseconds(std::chrono::hours(24 * 365)), 2147483647);
}

TEST(KafkaClientTest, MetadataOfACommitEndWithoutTheirZeroByte) {
  std::string written("7 a\0", 4);
  rd_kafka_topic_partition_t committed{};
  EXPECT_EQ(MetadataOf(committed), "");
  committed.metadata = written.data();
  committed.metadata_size = written.size();
  EXPECT_EQ(MetadataOf(committed), "7 a");
  committed.metadata_size = 3;
  EXPECT_EQ(MetadataOf(committed), "7 a") << "of a client that ends them otherwise";
}

}  // namespace
}  // namespace orbweaver::kafka
