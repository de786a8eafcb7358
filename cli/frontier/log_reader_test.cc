#include "cli/frontier/log_reader.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/embedded/embedded_bus.h"
#include "common/store/rocksdb/database.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

constexpr Duration kLong = std::chrono::minutes(1);
constexpr char kTopic[] = "topic";

// Two partitions of ten messages, a second apart: of partition p message n is "p:n".
class LogReaderTest : public ::testing::Test {
 protected:
  LogReaderTest() {
    database_ = *Database::Open({.folder = folder_.path() / "data"});
    bus_ = *EmbeddedBus::Open(*database_, clock_);
    const TopicSpec spec{.name = kTopic, .partitions = 2};
    EXPECT_OK(bus_->EnsureTopics({&spec, 1}, kLong));
    const auto producer = *bus_->NewProducer({}, [](const Ack&) {});
    begin_ = clock_.Wall();
    for (int n = 0; n < 10; ++n) {
      for (int32_t p = 0; p < 2; ++p) {
        const std::string value = std::to_string(p) + ":" + std::to_string(n);
        EXPECT_OK(producer->Send({kTopic, PartitionId(p), "k", value, {}}, 0));
      }
      EXPECT_OK(producer->Flush(kLong));
      clock_.Advance(std::chrono::seconds(1));
    }
  }

  std::vector<std::string> Read(LogRange range) {
    range.topic = kTopic;
    std::vector<std::string> values;
    LogReader reader(std::move(range));
    EXPECT_OK(reader.Read(*bus_, kLong, [&values](const Message& message) {
      values.emplace_back(message.value);
      return true;
    }));
    std::sort(values.begin(), values.end());
    return values;
  }

  // Of the first partition, below `start`.
  absl::Status Delete(Offset start) {
    const LogStart at{.topic = kTopic, .partition = PartitionId(0), .start = start};
    return bus_->DeleteBefore({&at, 1});
  }

  using Values = std::vector<std::string>;
  const ScratchFolder folder_;
  ManualClock clock_;
  WallTime begin_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<EmbeddedBus> bus_;
};

TEST_F(LogReaderTest, ReadsAllOfATopicAndThenEnds) { EXPECT_EQ(Read({}).size(), 20u); }

TEST_F(LogReaderTest, AnOffsetRangeIsHalfOpenAndCutToWhatTheLogHolds) {
  EXPECT_EQ(Read({.partition = PartitionId(1), .from = 8, .to = 100}), (Values{"1:8", "1:9"}));
  EXPECT_EQ(Read({.from = 3, .to = 4}), (Values{"0:3", "1:3"}));
  EXPECT_EQ(Read({.from = 100}), Values{});
  ASSERT_OK(Delete(Offset(9)));
  EXPECT_EQ(Read({.partition = PartitionId(0), .from = 0}), Values{"0:9"});
}

TEST_F(LogReaderTest, TheLastOnesAreCountedInEachPartition) {
  EXPECT_EQ(Read({.last = 2}), (Values{"0:8", "0:9", "1:8", "1:9"}));
  EXPECT_EQ(Read({.partition = PartitionId(0), .last = 100}).size(), 10u);
}

TEST_F(LogReaderTest, ATimeRangeTakesWhatWasWrittenAtItsBeginAndNotAtItsEnd) {
  EXPECT_EQ(Read({.partition = PartitionId(0),
                  .since = begin_ + std::chrono::seconds(4),
                  .until = begin_ + std::chrono::seconds(6)}),
            (Values{"0:4", "0:5"}));
  EXPECT_EQ(Read({.since = begin_ + std::chrono::hours(1)}), Values{});
  EXPECT_EQ(Read({.until = begin_}), Values{});
}

TEST_F(LogReaderTest, CalledAgainItGoesOnWhereItStood) {
  LogReader reader({.topic = kTopic, .partition = PartitionId(0)});
  Values values;
  ASSERT_OK(reader.Read(*bus_, kLong, [&values](const Message& message) {
    values.emplace_back(message.value);
    return values.size() < 3;
  }));
  // Deleted meanwhile is passed over.
  ASSERT_OK(Delete(Offset(8)));
  ASSERT_OK(reader.Read(*bus_, kLong, [&values](const Message& message) {
    values.emplace_back(message.value);
    return true;
  }));
  EXPECT_EQ(values, (Values{"0:0", "0:1", "0:2", "0:8", "0:9"}));
}

TEST_F(LogReaderTest, WhatIsWrittenAfterItsBeginIsNotWaitedFor) {
  LogReader reader({.topic = kTopic, .partition = PartitionId(0), .last = 1});
  const auto producer = *bus_->NewProducer({}, [](const Ack&) {});
  int count = 0;
  ASSERT_OK(reader.Read(*bus_, kLong, [&](const Message&) {
    ++count;
    EXPECT_OK(producer->Send({kTopic, PartitionId(0), "k", "new", {}}, 0));
    EXPECT_OK(producer->Flush(kLong));
    return true;
  }));
  EXPECT_EQ(count, 1);
}

TEST_F(LogReaderTest, AnUnknownTopicOrPartitionIsNamed) {
  LogReader topic({.topic = "none"});
  EXPECT_TRUE(IsFatal(topic.Read(*bus_, kLong, [](const Message&) { return true; })));
  LogReader partition({.topic = kTopic, .partition = PartitionId(7)});
  EXPECT_TRUE(IsFatal(partition.Read(*bus_, kLong, [](const Message&) { return true; })));
}

}  // namespace
}  // namespace orbweaver
