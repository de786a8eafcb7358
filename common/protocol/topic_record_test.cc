#include "common/protocol/topic_record.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/store/memory/memory_store.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

constexpr Duration kLong = std::chrono::minutes(1);

class TopicRecordTest : public ::testing::Test {
 protected:
  void MakeTopics(int partitions) {
    std::vector<TopicSpec> specs;
    for (const std::string_view name : {kSpiderLogTopic, kScoringLogTopic, kSpiderFeedTopic}) {
      specs.push_back({.name = std::string(name), .partitions = partitions});
    }
    ASSERT_OK(bus_.EnsureTopics(specs, kLong));
  }

  void Plant(std::string_view value) {
    const CellPut cell{.column = "record", .value = value};
    const RowPut put{
        .row = std::string_view("\0\0topics", 8), .version = Version(9), .cells = {&cell, 1}};
    std::vector<uint32_t> remaining;
    ASSERT_OK(store_.Write(Table::kPartitions, {&put, 1}, kLong, &remaining));
  }

  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryBus bus_{&broker_, {}};
  MemoryTables tables_;
  MemoryStore store_{&tables_, {.virtual_time = &clock_}};
};

TEST_F(TopicRecordTest, IsAbsentAtFirstAndThenWhatWasSaved) {
  EXPECT_FALSE(LoadTopicRecord(store_, kLong)->has_value());
  ASSERT_OK(SaveTopicRecord(store_, {.topic_epoch = 3, .partitions = 16}, kLong));
  const auto record = LoadTopicRecord(store_, kLong);
  ASSERT_OK(record);
  EXPECT_EQ((*record)->topic_epoch, 3u);
  EXPECT_EQ((*record)->partitions, 16);
}

TEST_F(TopicRecordTest, StoreOfAnotherFormatIsRefusedByItsNumberAndNotGuessed) {
  MakeTopics(4);
  // Longer than ours, and as long.
  for (const std::string_view value : {"\x02 that knows more", "\x02thirteen    "}) {
    Plant(value);
    for (const absl::Status& status :
         {LoadTopicRecord(store_, kLong).status(), NextTopicRecord(store_, bus_, 4, kLong).status(),
          CheckTopics(store_, bus_, kLong).status()}) {
      EXPECT_TRUE(IsFatal(status)) << value;
      EXPECT_THAT(MessageOf(status),
                  testing::HasSubstr("its format is 2, this version reads format 1"));
    }
  }
}

TEST_F(TopicRecordTest, CutRecordIsRefused) {
  Plant(std::string_view("\x01\0\0", 3));
  EXPECT_TRUE(IsFatal(LoadTopicRecord(store_, kLong).status()));
}

TEST_F(TopicRecordTest, TopicsMadeAnewRaiseTheTopicEpoch) {
  EXPECT_EQ(*NextTopicRecord(store_, bus_, 4, kLong),
            (TopicRecord{.topic_epoch = 1, .partitions = 4}));
  ASSERT_OK(SaveTopicRecord(store_, {.topic_epoch = 1, .partitions = 4}, kLong));
  MakeTopics(4);
  EXPECT_EQ(NextTopicRecord(store_, bus_, 4, kLong)->topic_epoch, 1u);
  MemoryBroker anew(&clock_);
  MemoryBus empty(&anew, {});
  EXPECT_EQ(NextTopicRecord(store_, empty, 4, kLong)->topic_epoch, 2u);
}

TEST_F(TopicRecordTest, MorePartitionsRaiseTheTopicEpochAndAWishForThemDoesNot) {
  ASSERT_OK(SaveTopicRecord(store_, {.topic_epoch = 5, .partitions = 4}, kLong));
  MakeTopics(8);
  EXPECT_EQ(*NextTopicRecord(store_, bus_, 8, kLong),
            (TopicRecord{.topic_epoch = 6, .partitions = 8}));
  ASSERT_OK(SaveTopicRecord(store_, {.topic_epoch = 6, .partitions = 8}, kLong));
  EXPECT_EQ(*NextTopicRecord(store_, bus_, 16, kLong),
            (TopicRecord{.topic_epoch = 6, .partitions = 8}));
}

TEST_F(TopicRecordTest, WorkersStartOnTheTopicsThatTheStoreKnows) {
  MakeTopics(4);
  ASSERT_OK(SaveTopicRecord(store_, {.topic_epoch = 2, .partitions = 4}, kLong));
  const auto record = CheckTopics(store_, bus_, kLong);
  ASSERT_OK(record);
  EXPECT_EQ(record->topic_epoch, 2u);
}

TEST_F(TopicRecordTest, WorkersRefuseTopicsThatChangedAndSayWhatToDo) {
  MakeTopics(8);
  for (const bool saved : {false, true}) {
    if (saved) ASSERT_OK(SaveTopicRecord(store_, {.topic_epoch = 1, .partitions = 4}, kLong));
    const auto record = CheckTopics(store_, bus_, kLong);
    EXPECT_TRUE(IsFatal(record.status())) << record.status();
    EXPECT_NE(MessageOf(record.status()).find("orbweaver init"), std::string::npos);
  }
}

TEST_F(TopicRecordTest, WorkersRefuseAMissingTopic) {
  ASSERT_OK(SaveTopicRecord(store_, {.topic_epoch = 1, .partitions = 4}, kLong));
  EXPECT_TRUE(IsFatal(CheckTopics(store_, bus_, kLong).status()));
}

}  // namespace
}  // namespace orbweaver
