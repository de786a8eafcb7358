#include "cli/order_writer.h"

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/model/arena.h"
#include "common/url/partition.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

constexpr Duration kLong = std::chrono::minutes(1);
constexpr int kPartitions = 4;
constexpr char kDomain[] = "example.com";

class OrderWriterTest : public ::testing::Test {
 protected:
  void MakeTopics() {
    EXPECT_OK(bus_.EnsureTopics(*ProductTopics({.partitions = kPartitions}), kLong));
  }

  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryBus bus_{&broker_, {}};
};

TEST_F(OrderWriterTest, AnOrderStandsWhereItsDomainsStrategyWorkerReadsIt) {
  MakeTopics();
  const WallTime until{std::chrono::milliseconds(1'700'000'000'000)};
  EXPECT_OK(WriteOrder(bus_, clock_, kDomain, {.purge = true}, kLong));
  const auto written = WriteOrder(bus_, clock_, kDomain, {.blocked_until = until}, kLong);
  ASSERT_OK(written);
  EXPECT_EQ(written->partition, PartitionOf(SlotOf(kDomain), kPartitions));
  EXPECT_EQ(written->offset, Offset(1));
  const auto consumer = *bus_.NewConsumer({.group = "reader"});
  const AssignedPartition from{.partition = written->partition, .position = Offset(1)};
  ASSERT_OK(consumer->Assign(kSpiderLogTopic, {&from, 1}));
  MessageBatch batch;
  ASSERT_OK(consumer->Poll({}, Duration::zero(), &batch));
  ASSERT_EQ(batch.messages().size(), 1u);
  EXPECT_EQ(batch.messages()[0].key, kDomain);
  Arena arena;
  SpiderLogEntry entry;
  ASSERT_OK(Decode(batch.messages()[0].value, &arena, &entry));
  EXPECT_EQ(entry.domain, kDomain);
  EXPECT_EQ(entry.time, clock_.Wall());
  EXPECT_EQ(std::get<DomainOrder>(entry.event).blocked_until, until);
  EXPECT_FALSE(std::get<DomainOrder>(entry.event).purge);
}

TEST_F(OrderWriterTest, TellsWhatIsReadBeforeTheOrder) {
  MakeTopics();
  for (int i = 0; i < 3; ++i) ASSERT_OK(WriteOrder(bus_, clock_, kDomain, {.purge = true}, kLong));
  const auto written = WriteOrder(bus_, clock_, kDomain, {.purge = true}, kLong);
  ASSERT_OK(written);
  EXPECT_EQ(LagBefore(bus_, *written, kLong)->strategy_worker, 3);
  EXPECT_EQ(LagBefore(bus_, *written, kLong)->db_worker, 0);
  const auto consumer = *bus_.NewConsumer({.group = std::string(kStrategyWorkerGroup)});
  const AssignedPartition from{.partition = written->partition, .position = Offset(0)};
  ASSERT_OK(consumer->Assign(kSpiderLogTopic, {&from, 1}));
  const OffsetCommit commit{.partition = written->partition, .offset = Offset(2)};
  ASSERT_OK(consumer->Commit({&commit, 1}, kLong));
  EXPECT_EQ(LagBefore(bus_, *written, kLong)->strategy_worker, 1);
}

TEST_F(OrderWriterTest, WithoutTopicsNothingIsWritten) {
  EXPECT_TRUE(IsFatal(WriteOrder(bus_, clock_, kDomain, {.purge = true}, kLong).status()));
}

}  // namespace
}  // namespace orbweaver
