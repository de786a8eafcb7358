#include "spider/publish/log_sender.h"

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/url/partition.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

constexpr int kPartitions = 4;

class LogSenderTest : public ::testing::Test {
 protected:
  LogSenderTest() {
    const auto topics = ProductTopics({.partitions = kPartitions});
    EXPECT_OK(MemoryBus(&broker_, {}).EnsureTopics(*topics, {}));
  }
  std::unique_ptr<LogSender> Make(const BusFaults& faults) {
    bus_ = std::make_unique<MemoryBus>(&broker_, MemoryBusOptions{.faults = faults});
    auto sender = LogSender::Create(*bus_, kPartitions);
    EXPECT_OK(sender);
    return *std::move(sender);
  }
  static LogEntries Entries(int count) {
    LogEntries entries;
    for (int i = 0; i < count; ++i) {
      const std::string domain = "d" + std::to_string(i) + ".test";
      entries.Append(SlotOf(domain), domain, std::string(1000, 'v'));
    }
    return entries;
  }

  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  std::unique_ptr<MemoryBus> bus_;
};

TEST_F(LogSenderTest, ARequestHasArrivedOnlyWhenItsLastEntryHas) {
  const auto sender = Make({.seed = 3, .max_append_delay = std::chrono::seconds(5)});
  sender->Add(SendId(7), Entries(10));
  sender->Add(SendId(), Entries(1));
  for (int i = 0; i < 1000 && !sender->idle(); ++i) {
    ASSERT_OK(sender->Send());
    const auto arrived = sender->TakeArrived();
    if (!arrived.empty()) {
      ASSERT_EQ(arrived, std::vector<SendId>{SendId(7)});
      int64_t in_log = 0;
      std::vector<PartitionId> partitions;
      for (int p = 0; p < kPartitions; ++p) partitions.emplace_back(p);
      const auto bounds = bus_->NewOffsetReader().value()->Bounds(kSpiderLogTopic, partitions, {});
      ASSERT_OK(bounds);
      for (const LogBounds& one : *bounds) in_log += one.end.value();
      EXPECT_GE(in_log, 10);
    }
    clock_.Advance(std::chrono::milliseconds(100));
  }
  EXPECT_TRUE(sender->idle());
  EXPECT_EQ(sender->queued_bytes(), 0u);
}

TEST_F(LogSenderTest, WhatTheProducerDoesNotTakeWaitsAndIsCounted) {
  broker_.SetAvailable(false);
  const auto sender = Make({});
  // More than a producer's budget.
  for (uint64_t id = 1; id <= 40; ++id) sender->Add(SendId(id), Entries(1000));
  ASSERT_OK(sender->Send());
  EXPECT_GT(sender->queued_bytes(), size_t{5} << 20);
  EXPECT_TRUE(sender->TakeArrived().empty());
  broker_.SetAvailable(true);
  size_t arrived = 0;
  for (int i = 0; i < 1000 && !sender->idle(); ++i) {
    ASSERT_OK(sender->Send());
    arrived += sender->TakeArrived().size();
    clock_.Advance(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(arrived, 40u);
}

TEST_F(LogSenderTest, ALostRecordEndsItAndNothingArrivesAfterwards) {
  const auto sender = Make({.seed = 1, .lost_record = 1});
  sender->Add(SendId(1), Entries(3));
  absl::Status status;
  for (int i = 0; i < 100 && status.ok(); ++i) {
    status = sender->Send();
    clock_.Advance(std::chrono::milliseconds(100));
  }
  EXPECT_TRUE(IsFenced(status)) << status;
  EXPECT_TRUE(sender->TakeArrived().empty());
  EXPECT_FALSE(sender->Send().ok());
}

}  // namespace
}  // namespace orbweaver
