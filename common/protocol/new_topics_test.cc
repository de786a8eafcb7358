// Witnesses of logs, and going on with logs that are others.
#include "common/protocol/new_topics.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/protocol/log_witness.h"
#include "common/store/memory/memory_store.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Duration kLong = std::chrono::minutes(1);
constexpr PartitionId kFirst{0};
constexpr PartitionId kSecond{1};
constexpr PartitionId kBoth[] = {kFirst, kSecond};
constexpr std::string_view kTopics[] = {kSpiderLogTopic};

class NewTopicsTest : public ::testing::Test {
 protected:
  NewTopicsTest() {
    EXPECT_OK(bus_.EnsureTopics(*ProductTopics({.partitions = 2}), kLong));
    EXPECT_OK(SaveTopicRecord(store_, record_, kLong));
  }

  void Append(PartitionId partition, std::string_view key, std::string_view value) {
    auto producer = bus_.NewProducer({}, [](const Ack& ack) { EXPECT_OK(ack.status); });
    ASSERT_OK((*producer)->Send({kSpiderLogTopic, partition, key, value, {}}, 0));
    ASSERT_OK((*producer)->Flush(kLong));
  }
  // As a worker that has read up to there.
  void SaveWitnessAt(PartitionId partition, Offset offset) {
    const auto consumer = *bus_.NewConsumer({.group = "test"});
    const AssignedPartition from{.partition = partition, .position = offset};
    ASSERT_OK(consumer->Assign(kSpiderLogTopic, {&from, 1}));
    MessageBatch batch;
    ASSERT_OK(consumer->Poll({.max_messages = 1}, kLong, &batch));
    const LogWitness witness = WitnessOf(batch.messages().front());
    const Version version(++version_);
    ASSERT_OK(SaveWitnesses(store_, kSpiderLogTopic, record_.topic_epoch, {&witness, 1},
                            {&version, 1}, kLong));
  }
  absl::Status Check(uint64_t topic_epoch = 1) {
    return CheckWitnesses(store_, bus_, topic_epoch, kTopics, kBoth, kLong);
  }
  void Commit(std::string_view group, std::string_view topic, Offset offset) {
    const auto consumer = *bus_.NewConsumer({.group = std::string(group)});
    const AssignedPartition from{.partition = kFirst, .position = Offset(0)};
    ASSERT_OK(consumer->Assign(topic, {&from, 1}));
    const OffsetCommit commit{.partition = kFirst, .offset = offset, .metadata = "7"};
    ASSERT_OK(consumer->Commit({&commit, 1}, kLong));
  }
  std::optional<CommittedOffset> Committed(std::string_view group, std::string_view topic) {
    return (*(*bus_.NewOffsetReader())->Committed(group, topic, {&kFirst, 1}, kLong))[0];
  }

  const TopicRecord record_{.topic_epoch = 1, .partitions = 2};
  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryBus bus_{&broker_, {}};
  MemoryTables tables_;
  MemoryStore store_{&tables_, {.virtual_time = &clock_}};
  uint64_t version_ = 0;
};

TEST_F(NewTopicsTest, TheSameLogIsTheSameAfterItHasGrown) {
  EXPECT_OK(Check()) << "without a witness";
  Append(kFirst, "a.test", "one");
  Append(kFirst, "a.test", "two");
  Append(kSecond, "b.test", "one");
  SaveWitnessAt(kFirst, Offset(1));
  SaveWitnessAt(kSecond, Offset(0));
  EXPECT_OK(Check());
  Append(kFirst, "a.test", "three");
  EXPECT_OK(Check());
  EXPECT_THAT(*FindAllForeignLogs(store_, bus_, record_, kLong), IsEmpty());
}

TEST_F(NewTopicsTest, ALogThatEndsBelowItsWitnessIsForeign) {
  Append(kFirst, "a.test", "one");
  SaveWitnessAt(kFirst, Offset(0));
  ASSERT_OK(broker_.MakeAnew(kSpiderLogTopic));
  const absl::Status status = Check();
  EXPECT_TRUE(IsFatal(status) && !IsFenced(status)) << status;
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("'spider-log' partition 0"));
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("orbweaver init --accept-new-topics"));
}

TEST_F(NewTopicsTest, ALogThatHasGrownBeyondItsWitnessIsForeignWhenItsRecordIsAnother) {
  Append(kFirst, "a.test", "one");
  Append(kFirst, "a.test", "two");
  SaveWitnessAt(kFirst, Offset(1));
  ASSERT_OK(broker_.MakeAnew(kSpiderLogTopic));
  for (const char* value : {"one", "2", "three"}) Append(kFirst, "a.test", value);
  EXPECT_TRUE(IsFatal(Check()));
}

TEST_F(NewTopicsTest, TheSameSeedsAddedOnceMoreToANewLogAreForeign) {
  Append(kFirst, "a.test", "one");
  SaveWitnessAt(kFirst, Offset(0));
  ASSERT_OK(broker_.MakeAnew(kSpiderLogTopic));
  clock_.Advance(std::chrono::seconds(1));
  Append(kFirst, "a.test", "one");
  EXPECT_TRUE(IsFatal(Check()));
}

TEST_F(NewTopicsTest, AMarkerIsAWitnessAlthoughItsTimeInTheLogIsNotKnown) {
  Append(kFirst, "", "marker");
  clock_.Advance(std::chrono::seconds(1));
  const LogWitness witness = WitnessOfMarker(kFirst, Offset(0), "marker");
  const Version version(1);
  ASSERT_OK(SaveWitnesses(store_, kSpiderLogTopic, 1, {&witness, 1}, {&version, 1}, kLong));
  EXPECT_OK(Check());
}

TEST_F(NewTopicsTest, AWitnessThatRetentionHasDeletedSaysNothing) {
  for (const char* value : {"one", "two", "three"}) Append(kFirst, "a.test", value);
  SaveWitnessAt(kFirst, Offset(1));
  ASSERT_OK(broker_.CutLog(kSpiderLogTopic, kFirst, Offset(2)));
  EXPECT_OK(Check());
  ASSERT_OK(broker_.CutLog(kSpiderLogTopic, kFirst, Offset(3)));
  EXPECT_OK(Check());
}

TEST_F(NewTopicsTest, AcceptingReadsForeignLogsFromTheirStartsAndLeavesTheOthers) {
  for (const char* value : {"one", "two", "three"}) Append(kFirst, "a.test", value);
  SaveWitnessAt(kFirst, Offset(2));
  Commit(kStrategyWorkerGroup, kSpiderLogTopic, Offset(3));
  Commit(kDbWorkerGroup, kScoringLogTopic, Offset(0));
  ASSERT_OK(broker_.MakeAnew(kSpiderLogTopic));
  for (const char* value : {"1", "2", "3", "4"}) Append(kFirst, "a.test", value);

  const auto foreign = FindAllForeignLogs(store_, bus_, record_, kLong);
  ASSERT_OK(foreign);
  ASSERT_THAT(*foreign, SizeIs(1));
  EXPECT_THAT((*foreign)[0].found, HasSubstr("offset 2, where another one stands now"));
  const auto next = AcceptTopics(store_, bus_, record_, *foreign, kLong);
  ASSERT_OK(next);
  EXPECT_EQ(next->topic_epoch, 2u);
  EXPECT_EQ(**LoadTopicRecord(store_, kLong), *next);
  EXPECT_OK(Check(next->topic_epoch));
  EXPECT_EQ(Committed(kStrategyWorkerGroup, kSpiderLogTopic)->offset, Offset(0));
  EXPECT_EQ(Committed(kDbWorkerGroup, kScoringLogTopic)->metadata, "7");
}

TEST_F(NewTopicsTest, ACommitBeyondTheEndOfALogTellsOfANewOneWithoutAnyWitness) {
  for (const char* value : {"one", "two"}) Append(kFirst, "a.test", value);
  Commit(kStrategyWorkerGroup, kSpiderLogTopic, Offset(2));
  ASSERT_OK(broker_.MakeAnew(kSpiderLogTopic));
  Append(kFirst, "a.test", "one");
  const auto foreign = FindAllForeignLogs(store_, bus_, record_, kLong);
  ASSERT_OK(foreign);
  ASSERT_THAT(*foreign, SizeIs(1));
  EXPECT_THAT((*foreign)[0].found, HasSubstr("'strategy-workers' has read up to offset 2"));
}

class NoListener : public RebalanceListener {
  void OnAssigned(std::span<const AssignedPartition>) override {}
  void OnRevoked(std::span<const PartitionId>) override {}
  void OnLost(std::span<const PartitionId>) override {}
};

TEST_F(NewTopicsTest, NothingIsAcceptedWhileAWorkerIsInItsGroup) {
  Append(kFirst, "a.test", "one");
  SaveWitnessAt(kFirst, Offset(0));
  Commit(kStrategyWorkerGroup, kSpiderLogTopic, Offset(1));
  NoListener listener;
  const auto worker = *bus_.NewConsumer({.group = std::string(kStrategyWorkerGroup)});
  ASSERT_OK(worker->Subscribe(kSpiderLogTopic, &listener));
  MessageBatch batch;
  ASSERT_OK(worker->Poll({}, Duration::zero(), &batch));
  ASSERT_OK(broker_.MakeAnew(kSpiderLogTopic));
  const auto foreign = FindAllForeignLogs(store_, bus_, record_, kLong);
  ASSERT_OK(foreign);
  const absl::Status refused = AcceptTopics(store_, bus_, record_, *foreign, kLong).status();
  EXPECT_TRUE(IsFenced(refused)) << refused;
  EXPECT_THAT(std::string(MessageOf(refused)), HasSubstr("Stop all workers"));
  EXPECT_EQ(**LoadTopicRecord(store_, kLong), record_);
}

}  // namespace
}  // namespace orbweaver
