#include "cli/frontier/log_lags.h"

#include <string>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

constexpr Duration kLong = std::chrono::minutes(1);

TEST(LogLagsTest, ALogsLagIsWhatItsOwnGroupHasNotDealtWith) {
  ManualClock clock;
  MemoryBroker broker(&clock);
  MemoryBus bus(&broker, {});
  LogLagReader reader(bus);
  EXPECT_FALSE(reader.Read(kLong).ok()) << "there are no topics";
  TopicOptions topics;
  topics.partitions = 2;
  ASSERT_OK(bus.EnsureTopics(*ProductTopics(topics), kLong));
  const auto producer = *bus.NewProducer({}, [](const Ack&) {});
  const auto append = [&](std::string_view topic, int32_t partition, int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_OK(producer->Send({topic, PartitionId(partition), "k", "v", {}}, 0));
    }
    ASSERT_OK(producer->Flush(kLong));
  };
  append(kSpiderLogTopic, 0, 10);
  append(kSpiderLogTopic, 1, 5);
  append(kSpiderFeedTopic, 1, 3);
  const auto consumer = *bus.NewConsumer({.group = std::string(kStrategyWorkerGroup)});
  const AssignedPartition from{.partition = PartitionId(0)};
  ASSERT_OK(consumer->Assign(kSpiderLogTopic, {&from, 1}));
  const OffsetCommit commit{PartitionId(0), Offset(4), ""};
  ASSERT_OK(consumer->Commit({&commit, 1}, kLong));
  const auto lags = reader.Read(kLong);
  ASSERT_OK(lags);
  EXPECT_EQ(lags->spider_log, 10 - 4 + 5);
  EXPECT_EQ(lags->scoring_log, 0);
  EXPECT_EQ(lags->feed, 3);
}

}  // namespace
}  // namespace orbweaver
