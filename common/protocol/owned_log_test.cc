#include "common/protocol/owned_log.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/model/arena.h"
#include "common/model/spider_feed.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

constexpr Duration kLong = std::chrono::minutes(1);
constexpr PartitionId kFirst(0), kSecond(1);
constexpr PartitionId kBoth[] = {kFirst, kSecond};

class OwnedLogTest : public ::testing::Test {
 protected:
  OwnedLogTest() {
    const TopicSpec spec{.name = std::string(kSpiderFeedTopic), .partitions = 2};
    EXPECT_OK(bus_.EnsureTopics({&spec, 1}, kLong));
  }

  std::unique_ptr<OwnedLog> NewLog(std::string owner, Bus* bus = nullptr) {
    auto log =
        OwnedLog::Create(bus == nullptr ? bus_ : *bus, clock_,
                         {.topic = std::string(kSpiderFeedTopic), .owner = std::move(owner)});
    EXPECT_OK(log);
    return *std::move(log);
  }

  // The owner of kFirst, whose acks take a while and whose producer holds so many bytes.
  std::unique_ptr<OwnedLog> NewSlowLog(size_t max_bytes) {
    auto log = OwnedLog::Create(slow_, clock_,
                                {.topic = std::string(kSpiderFeedTopic),
                                 .owner = "owner",
                                 .producer = {.max_bytes = max_bytes}});
    EXPECT_OK(log);
    EXPECT_OK((*log)->TakeOver(kFirst, kLong));
    return *std::move(log);
  }

  // A request by whoever thinks to own the partition.
  static std::string Entry(Offset epoch) {
    EncodeBuffer buffer;
    const SpiderFeedEntry entry{.epoch = epoch,
                                .entry = Request{.url = "http://a.test/", .domain = "a.test"}};
    return std::string(*Encode(entry, &buffer));
  }
  static void Append(OwnedLog& log, PartitionId partition, Offset epoch) {
    ASSERT_OK(log.Append(partition, "a.test", Entry(epoch), kLong));
  }

  std::vector<SpiderFeedEntry> ReadAll(PartitionId partition) {
    auto consumer = *bus_.NewConsumer({.group = "reader"});
    const AssignedPartition from{.partition = partition};
    EXPECT_OK(consumer->Assign(kSpiderFeedTopic, {&from, 1}));
    EXPECT_OK(consumer->Poll({}, kLong, &batch_));
    std::vector<SpiderFeedEntry> entries;
    for (const Message& message : batch_.messages()) {
      EXPECT_OK(Decode(message.value, &arena_, &entries.emplace_back()));
      EXPECT_TRUE(message.headers.empty()) << "each costs on every record";
    }
    return entries;
  }

  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryBus slow_{&broker_, {.faults = {.max_ack_delay = std::chrono::seconds(1)}}};
  MemoryBus bus_{&broker_, {}};
  MessageBatch batch_;
  Arena arena_;
};

TEST_F(OwnedLogTest, EpochIsWhereTheMarkerStands) {
  auto log = NewLog("first");
  EXPECT_EQ(*log->TakeOver(kFirst, kLong), Offset(0));
  Append(*log, kFirst, Offset(0));
  ASSERT_OK(log->AwaitAcks(kLong));
  EXPECT_EQ(log->WrittenTo(kFirst), Offset(2));
  EXPECT_EQ(*NewLog("second")->TakeOver(kFirst, kLong), Offset(2));
  const auto entries = ReadAll(kFirst);
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(std::get<Marker>(entries[0].entry).owner, "first");
  EXPECT_EQ(std::get<Request>(entries[1].entry).url, "http://a.test/");
  EXPECT_EQ(std::get<Marker>(entries[2].entry).owner, "second");
}

TEST_F(OwnedLogTest, OwnerStaysOwnerWhateverItWrites) {
  auto log = NewLog("first");
  ASSERT_OK(log->TakeOver(kFirst, kLong));
  ASSERT_OK(log->TakeOver(kSecond, kLong));
  for (int i = 0; i < 3; ++i) {
    Append(*log, kFirst, Offset(0));
    Append(*log, kFirst, Offset(0));
    Append(*log, kSecond, Offset(0));
    ASSERT_OK(log->AwaitAcks(kLong));
    EXPECT_OK(log->CheckStillOwner(kBoth, kLong));
  }
}

TEST_F(OwnedLogTest, LaterMarkerDeposes) {
  auto first = NewLog("first");
  ASSERT_OK(first->TakeOver(kFirst, kLong));
  ASSERT_OK(first->TakeOver(kSecond, kLong));
  auto second = NewLog("second");
  ASSERT_OK(second->TakeOver(kSecond, kLong));
  EXPECT_OK(first->CheckStillOwner({&kFirst, 1}, kLong));
  const absl::Status deposed = first->CheckStillOwner(kBoth, kLong);
  EXPECT_TRUE(IsFenced(deposed)) << deposed;
  EXPECT_NE(MessageOf(deposed).find("partition 1"), std::string::npos) << deposed;
  EXPECT_OK(second->CheckStillOwner({&kSecond, 1}, kLong));
}

TEST_F(OwnedLogTest, LaterMarkerDeposesAlsoBetweenOwnEntries) {
  auto first = NewLog("first");
  ASSERT_OK(first->TakeOver(kFirst, kLong));
  Append(*first, kFirst, Offset(0));
  ASSERT_OK(NewLog("second")->TakeOver(kFirst, kLong));
  Append(*first, kFirst, Offset(0));
  ASSERT_OK(first->AwaitAcks(kLong));
  EXPECT_TRUE(IsFenced(first->CheckStillOwner({&kFirst, 1}, kLong)));
}

TEST_F(OwnedLogTest, EntriesOfAZombieDeposeNobody) {
  auto zombie = NewLog("zombie");
  ASSERT_OK(zombie->TakeOver(kFirst, kLong));
  auto owner = NewLog("owner");
  ASSERT_OK(owner->TakeOver(kFirst, kLong));
  Append(*owner, kFirst, Offset(1));
  ASSERT_OK(owner->AwaitAcks(kLong));
  Append(*zombie, kFirst, Offset(0));
  ASSERT_OK(zombie->AwaitAcks(kLong));
  EXPECT_OK(owner->CheckStillOwner({&kFirst, 1}, kLong));
  Append(*owner, kFirst, Offset(1));
  ASSERT_OK(owner->AwaitAcks(kLong));
  EXPECT_OK(owner->CheckStillOwner({&kFirst, 1}, kLong));
  EXPECT_TRUE(IsFenced(zombie->CheckStillOwner({&kFirst, 1}, kLong)));
}

TEST_F(OwnedLogTest, GarbageFromOutsideDeposesNobody) {
  auto log = NewLog("owner");
  ASSERT_OK(log->TakeOver(kFirst, kLong));
  auto producer = *bus_.NewProducer({}, [](const Ack&) {});
  for (const char* const value : {"", "garbage"}) {
    ASSERT_OK(producer->Send({kSpiderFeedTopic, kFirst, "", value, {}}, 0));
  }
  ASSERT_OK(producer->Flush(kLong));
  EXPECT_OK(log->CheckStillOwner({&kFirst, 1}, kLong));
}

TEST_F(OwnedLogTest, WhoCannotSeeWhatOthersWroteIsNoOwner) {
  auto owner = NewLog("owner");
  ASSERT_OK(owner->TakeOver(kFirst, kLong));
  ASSERT_OK(NewLog("later")->TakeOver(kFirst, kLong));
  ASSERT_OK(broker_.CutLog(kSpiderFeedTopic, kFirst, Offset(2)));
  EXPECT_TRUE(IsFenced(owner->CheckStillOwner({&kFirst, 1}, kLong)));
}

TEST_F(OwnedLogTest, TakingOverAgainGivesAHigherEpochAndStaysOwner) {
  auto log = NewLog("owner");
  ASSERT_OK(log->TakeOver(kFirst, kLong));
  EXPECT_EQ(*log->TakeOver(kFirst, kLong), Offset(1));
  EXPECT_OK(log->CheckStillOwner({&kFirst, 1}, kLong));
}

TEST_F(OwnedLogTest, ReleasedPartitionIsNobodysToCommit) {
  auto log = NewLog("owner");
  ASSERT_OK(log->TakeOver(kFirst, kLong));
  log->Release(kFirst);
  EXPECT_TRUE(IsFenced(log->CheckStillOwner({&kFirst, 1}, kLong)));
}

TEST_F(OwnedLogTest, TopicMadeAnewIsNoticed) {
  auto log = NewLog("owner");
  ASSERT_OK(log->TakeOver(kFirst, kLong));
  MemoryBroker other(&clock_);
  MemoryBus other_bus(&other, {});
  const TopicSpec spec{.name = std::string(kSpiderFeedTopic), .partitions = 2};
  ASSERT_OK(other_bus.EnsureTopics({&spec, 1}, kLong));
  // The same name, another log.
  class Redirect : public MemoryBus {
   public:
    Redirect(Bus& first, MemoryBroker* broker) : MemoryBus(broker, {}), first_(first) {}
    absl::StatusOr<std::unique_ptr<Producer>> NewProducer(const ProducerOptions& options,
                                                          AckHandler on_ack) override {
      return first_.NewProducer(options, std::move(on_ack));
    }
    Bus& first_;
  } redirect(bus_, &other);
  auto mixed = NewLog("mixed", &redirect);
  ASSERT_OK(mixed->TakeOver(kFirst, kLong));
  const absl::Status status = mixed->CheckStillOwner({&kFirst, 1}, kLong);
  EXPECT_TRUE(IsFatal(status)) << status;
  EXPECT_NE(MessageOf(status).find("orbweaver init"), std::string::npos) << status;
}

TEST_F(OwnedLogTest, LostRecordEndsTheLog) {
  MemoryBus lossy(&broker_, {.faults = {.lost_record = 1}});
  auto log = NewLog("owner", &lossy);
  const auto epoch = log->TakeOver(kFirst, kLong);
  EXPECT_FALSE(epoch.ok());
  EXPECT_FALSE(IsRetry(epoch.status())) << epoch.status();
  EXPECT_FALSE(IsRetry(log->AwaitAcks(kLong)));
}

TEST_F(OwnedLogTest, LostEntryIsKnownWhenItsAckIsAwaitedAndEverAfter) {
  MemoryBus lossy(&broker_, {.faults = {.seed = 1, .lost_record = 0.05}});
  auto log = NewLog("owner", &lossy);
  ASSERT_OK(log->TakeOver(kFirst, kLong));
  absl::Status status;
  for (int i = 0; i < 1000 && status.ok(); ++i) {
    Append(*log, kFirst, Offset(0));
    status = log->AwaitAcks(kLong);
  }
  EXPECT_FALSE(status.ok() || IsRetry(status)) << status;
  EXPECT_EQ(log->AwaitAcks(kLong), status);
}

// Kafka does not tell the offset of a record that a retry found in the log already.
TEST_F(OwnedLogTest, MarkerWhoseOffsetNobodyTellsIsFollowedByOneThatIsToldOf) {
  class Forgetful : public MemoryBus {
   public:
    explicit Forgetful(MemoryBroker* broker) : MemoryBus(broker, {}) {}
    absl::StatusOr<std::unique_ptr<Producer>> NewProducer(const ProducerOptions& options,
                                                          AckHandler on_ack) override {
      return MemoryBus::NewProducer(
          options, [is_first = true, on_ack = std::move(on_ack)](const Ack& ack) mutable {
            Ack told = ack;
            if (std::exchange(is_first, false)) told.offset = Offset(-1);
            on_ack(told);
          });
    }
  } forgetful(&broker_);
  auto log = NewLog("owner", &forgetful);
  EXPECT_EQ(*log->TakeOver(kFirst, kLong), Offset(1));
  EXPECT_EQ(ReadAll(kFirst).size(), 2u);
  EXPECT_OK(log->CheckStillOwner({&kFirst, 1}, kLong));
}

TEST_F(OwnedLogTest, AckOfAnEarlierMarkerIsNotTakenForTheAwaitedOnes) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    auto before = NewLog("before");
    ASSERT_OK(before->TakeOver(kFirst, kLong));
    MemoryBus slow(&broker_, {.faults = {.seed = seed, .max_ack_delay = std::chrono::seconds(9)}});
    auto log = NewLog("owner", &slow);
    broker_.SetAvailable(false);
    EXPECT_TRUE(IsRetry(log->TakeOver(kFirst, std::chrono::seconds(1)).status()));
    broker_.SetAvailable(true);
    const auto epoch = log->TakeOver(kSecond, kLong);
    ASSERT_OK(epoch);
    EXPECT_EQ(*epoch, Offset(static_cast<int64_t>(seed)));
  }
}

TEST_F(OwnedLogTest, AckAfterTheLookThatSawItsEntryDoesNotHideALaterMarker) {
  MemoryBus slow(&broker_, {.faults = {.max_ack_delay = std::chrono::seconds(9)}});
  auto log = NewLog("owner", &slow);
  ASSERT_OK(log->TakeOver(kFirst, kLong));
  Append(*log, kFirst, Offset(0));
  EXPECT_OK(log->CheckStillOwner({&kFirst, 1}, kLong));
  ASSERT_OK(log->AwaitAcks(kLong));
  ASSERT_OK(NewLog("later")->TakeOver(kFirst, kLong));
  EXPECT_TRUE(IsFenced(log->CheckStillOwner({&kFirst, 1}, kLong)));
}

TEST_F(OwnedLogTest, RetentionTakesNoOwnershipOfWhatWasLookedAt) {
  auto log = NewLog("owner");
  ASSERT_OK(log->TakeOver(kFirst, kLong));
  for (int i = 0; i < 3; ++i) {
    Append(*log, kFirst, Offset(0));
    ASSERT_OK(log->AwaitAcks(kLong));
    ASSERT_OK(log->CheckStillOwner({&kFirst, 1}, kLong));
    ASSERT_OK(broker_.CutLog(kSpiderFeedTopic, kFirst, log->WrittenTo(kFirst)));
  }
  EXPECT_OK(log->CheckStillOwner({&kFirst, 1}, kLong));
}

TEST_F(OwnedLogTest, BrokerThatIsAwayIsARetryAndTheSecondTryTakesOver) {
  auto log = NewLog("owner");
  broker_.SetAvailable(false);
  EXPECT_TRUE(IsRetry(log->TakeOver(kFirst, std::chrono::seconds(1)).status()));
  broker_.SetAvailable(true);
  const auto epoch = log->TakeOver(kFirst, kLong);
  ASSERT_OK(epoch);
  // The first marker arrived too, before the second: that one counts.
  EXPECT_EQ(*epoch, Offset(1));
  EXPECT_OK(log->CheckStillOwner({&kFirst, 1}, kLong));
}

TEST_F(OwnedLogTest, FullBudgetWaitsForAcksInsteadOfFailing) {
  const auto log = NewSlowLog(100);
  for (int i = 0; i < 50; ++i) Append(*log, kFirst, Offset(0));
  ASSERT_OK(log->AwaitAcks(kLong));
  EXPECT_EQ(log->WrittenTo(kFirst), Offset(51));
}

TEST_F(OwnedLogTest, ManyThatExceedTheBudgetAreAllInTheLogInTheirOrder) {
  const auto log = NewSlowLog(100);
  std::vector<std::string> keys;
  for (int i = 0; i < 50; ++i) keys.push_back("key " + std::to_string(i));
  const std::string entry = Entry(Offset(0));
  std::vector<KeyValue> records;
  for (const std::string& key : keys) records.push_back({key, entry});
  std::span<const KeyValue> unsent = records;
  ASSERT_OK(log->AppendMany(kFirst, &unsent, kLong));
  EXPECT_TRUE(unsent.empty());
  ASSERT_OK(log->AwaitAcks(kLong));
  ASSERT_EQ(log->WrittenTo(kFirst), Offset(51));

  auto consumer = bus_.NewConsumer({.group = "reader"});
  ASSERT_OK(consumer);
  const AssignedPartition from{.partition = kFirst, .position = Offset(1), .metadata = ""};
  ASSERT_OK((*consumer)->Assign(kSpiderFeedTopic, {&from, 1}));
  std::vector<std::string> read;
  MessageBatch batch;
  while (read.size() < keys.size()) {
    ASSERT_OK((*consumer)->Poll({}, kLong, &batch));
    for (const Message& message : batch.messages()) read.emplace_back(message.key);
  }
  EXPECT_EQ(read, keys);
}

TEST_F(OwnedLogTest, WhatOfManyDidNotFitInTimeIsLeftToTheCaller) {
  const auto log = NewSlowLog(1000);
  const std::string entry(300, 'x');
  const std::vector<KeyValue> records(5, KeyValue{"key", entry});
  std::span<const KeyValue> unsent = records;
  EXPECT_TRUE(IsRetry(log->AppendMany(kFirst, &unsent, Duration::zero())));
  EXPECT_EQ(unsent.size(), 2u);
  ASSERT_OK(log->AppendMany(kFirst, &unsent, kLong));
  ASSERT_OK(log->AwaitAcks(kLong));
  EXPECT_EQ(log->WrittenTo(kFirst), Offset(6));
}

}  // namespace
}  // namespace orbweaver
