// Faults that only this implementation can have: retention, the edges of the layout, a disk that
// fails. tests/contract holds the interface's promises.
#include "common/bus/embedded/embedded_bus.h"

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "rocksdb/db.h"
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/store/rocksdb/database.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/stalled_writes.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::minutes(1);
const PartitionId kFirst(0);

class EmbeddedBusTest : public ::testing::Test {
 protected:
  EmbeddedBusTest() { Open(); }

  void Open() {
    // Small, so that StalledWrites need not write much.
    auto database =
        Database::Open({.folder = folder_.path() / "data", .write_buffer_bytes = 64 << 10});
    ASSERT_OK(database.status());
    database_ = *std::move(database);
    auto bus = EmbeddedBus::Open(*database_, clock_);
    ASSERT_OK(bus.status());
    bus_ = *std::move(bus);
  }
  void Reopen() {
    bus_.reset();
    database_.reset();
    Open();
  }
  void MakeTopic(const TopicSpec& topic) {
    const auto differences = bus_->EnsureTopics({&topic, 1}, kTimeout);
    ASSERT_OK(differences.status());
    EXPECT_TRUE(differences->empty());
  }
  // One batch for each call, since it waits for the acks.
  void Produce(const std::string& topic, int count, size_t bytes = 10) {
    auto producer = bus_->NewProducer({}, [](const Ack& ack) { EXPECT_OK(ack.status); });
    ASSERT_OK(producer.status());
    const std::string value(bytes, 'v');
    for (int i = 0; i < count; ++i) {
      ASSERT_OK((*producer)->Send({topic, kFirst, "k", value, {}}, 0));
    }
    ASSERT_OK((*producer)->Flush(kTimeout));
  }
  LogBounds Bounds(const std::string& topic) {
    auto reader = bus_->NewOffsetReader();
    EXPECT_OK(reader.status());
    auto bounds = (*reader)->Bounds(topic, {&kFirst, 1}, kTimeout);
    EXPECT_OK(bounds.status());
    return bounds->front();
  }
  // All offsets from `from` on.
  std::vector<int64_t> Read(const std::string& topic, Offset from, const PollLimits& limits = {}) {
    auto consumer = bus_->NewConsumer({.group = "reader"});
    EXPECT_OK(consumer.status());
    const AssignedPartition assigned{kFirst, from, "", false};
    EXPECT_OK((*consumer)->Assign(topic, {&assigned, 1}));
    std::vector<int64_t> offsets;
    MessageBatch batch;
    do {
      EXPECT_OK((*consumer)->Poll(limits, Duration::zero(), &batch));
      for (const Message& message : batch.messages()) offsets.push_back(message.offset.value());
    } while (!batch.empty());
    return offsets;
  }
  // The number of batches of all logs in the folder.
  size_t StoredBatches() const {
    const std::unique_ptr<rocksdb::Iterator> batches(
        database_->db().NewIterator({}, database_->log()));
    size_t count = 0;
    for (batches->SeekToFirst(); batches->Valid(); batches->Next()) ++count;
    return count;
  }

  const ScratchFolder folder_;
  ManualClock clock_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<EmbeddedBus> bus_;
};

TEST_F(EmbeddedBusTest, RetentionByAgeDeletesWhatIsOlderAndNothingElse) {
  MakeTopic({.name = "t", .retention = std::chrono::hours(2)});
  for (int i = 0; i < 4; ++i) {
    Produce("t", 10);
    clock_.Advance(std::chrono::hours(1));
  }
  ASSERT_OK(bus_->ApplyRetention());
  // Written 4, 3, 2 and 1 hours ago.
  EXPECT_EQ(Bounds("t").start, Offset(20));
  EXPECT_EQ(Bounds("t").end, Offset(40));
  EXPECT_EQ(Read("t", Offset(20)).size(), 20u);
  Reopen();
  EXPECT_EQ(Bounds("t").start, Offset(20));
}

TEST_F(EmbeddedBusTest, RetentionByBytesKeepsTheNewestThatFit) {
  MakeTopic({.name = "t", .retention_bytes = 50'000});
  MakeTopic({.name = "kept"});
  Produce("kept", 10, 10'000);
  for (int i = 0; i < 20; ++i) Produce("t", 10, 1000);
  ASSERT_OK(bus_->ApplyRetention());
  const LogBounds bounds = Bounds("t");
  EXPECT_EQ(bounds.end, Offset(200));
  // At least what is to be kept, and no whole batch more.
  EXPECT_GE((bounds.end - bounds.start) * 1010, 50'000);
  EXPECT_LE((bounds.end - bounds.start - 10) * 1000, 50'000);
  EXPECT_EQ(Bounds("kept").start, Offset(0));
  EXPECT_EQ(Read("kept", Offset(0)).size(), 10u);
}

TEST_F(EmbeddedBusTest, RetentionJudgesBySizeAndAgeOfWhatEarlierRunsWrote) {
  MakeTopic({.name = "size", .retention_bytes = 50'000});
  MakeTopic({.name = "age", .retention = std::chrono::hours(3)});
  for (int i = 0; i < 20; ++i) {
    Produce("size", 10, 1000);
    Reopen();
  }
  for (int i = 0; i < 5; ++i) {
    Produce("age", 10);
    Reopen();
    clock_.Advance(std::chrono::hours(1));
  }
  ASSERT_OK(bus_->ApplyRetention());
  const LogBounds bounds = Bounds("size");
  EXPECT_GE((bounds.end - bounds.start) * 1010, 50'000);
  EXPECT_LE((bounds.end - bounds.start - 10) * 1000, 50'000);
  // Written 5, 4, 3, 2 and 1 hours ago.
  EXPECT_EQ(Bounds("age").start, Offset(20));
}

TEST_F(EmbeddedBusTest, AClockThatWasSetBackMakesNothingOldBeforeWhatStandsBeforeIt) {
  for (const bool reopened : {false, true}) {
    const std::string topic = reopened ? "reopened" : "open";
    MakeTopic({.name = topic, .retention = std::chrono::hours(2)});
    Produce(topic, 10);
    clock_.JumpWall(std::chrono::hours(3));
    Produce(topic, 10);
    clock_.JumpWall(std::chrono::hours(-12));
    if (reopened) Reopen();
    for (int i = 0; i < 6; ++i) Produce(topic, 10);
    clock_.JumpWall(std::chrono::hours(13));
    ASSERT_OK(bus_->ApplyRetention());
    // Written 4 hours ago, one hour ago and, by a wrong clock, 13 hours ago.
    EXPECT_EQ(Bounds(topic).start, Offset(10));
  }
}

TEST_F(EmbeddedBusTest, ALogThatRetentionHasEmptiedGoesOnWhereItStood) {
  MakeTopic({.name = "t", .retention = std::chrono::hours(1)});
  Produce("t", 10);
  clock_.Advance(std::chrono::hours(3));
  ASSERT_OK(bus_->ApplyRetention());
  EXPECT_EQ(Bounds("t").start, Offset(10));
  Reopen();
  EXPECT_EQ(Bounds("t").start, Offset(10));
  EXPECT_EQ(Bounds("t").end, Offset(10));
  Produce("t", 1);
  EXPECT_EQ(Read("t", Offset(10)), std::vector<int64_t>{10});
}

TEST_F(EmbeddedBusTest, DeletingUpToTheMidstOfABatchHidesItsBeginningOnly) {
  MakeTopic({.name = "t"});
  Produce("t", 10);
  const auto delete_before = [this](int64_t start) {
    const LogStart cut{"t", kFirst, Offset(start)};
    return bus_->DeleteBefore({&cut, 1});
  };
  ASSERT_OK(delete_before(4));
  EXPECT_EQ(Read("t", Offset(4)), (std::vector<int64_t>{4, 5, 6, 7, 8, 9}));
  Reopen();
  EXPECT_EQ(Bounds("t").start, Offset(4));
  EXPECT_TRUE(IsFatal(delete_before(11)));
  ASSERT_OK(delete_before(9));
  EXPECT_EQ(Read("t", Offset(9)), std::vector<int64_t>{9});
}

TEST_F(EmbeddedBusTest, StepByStepDeletionsLeaveNothingBehindAndTakeNothingElse) {
  MakeTopic({.name = "t"});
  MakeTopic({.name = "u"});
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10; ++i) {
      Produce("t", 3);
      Produce("u", 3);
    }
    const int64_t end = Bounds("t").end.value();
    for (const int64_t start : {end - 20, end - 7, end}) {
      const LogStart cuts[] = {{"t", kFirst, Offset(start)}, {"u", kFirst, Offset(start - 1)}};
      ASSERT_OK(bus_->DeleteBefore(cuts));
    }
    EXPECT_EQ(Read("u", Offset(end - 1)), std::vector<int64_t>{end - 1});
    EXPECT_EQ(StoredBatches(), 1u);
    if (round == 1) Reopen();
  }
}

TEST_F(EmbeddedBusTest, PollsOfEverySizeReadEachMessageOnce) {
  MakeTopic({.name = "t"});
  for (int i = 0; i < 5; ++i) Produce("t", 30, 100);
  for (const size_t messages : {1, 7, 29, 30, 31, 1000}) {
    for (const size_t bytes : {1, 1000, 1'000'000}) {
      const auto offsets = Read("t", Offset(0), {.max_bytes = bytes, .max_messages = messages});
      ASSERT_EQ(offsets.size(), 150u);
      for (size_t i = 0; i < offsets.size(); ++i) ASSERT_EQ(offsets[i], static_cast<int64_t>(i));
    }
  }
}

TEST_F(EmbeddedBusTest, CallsComeBackInTimeWhileRocksdbTakesNoWritesAndGoOnAfterwards) {
  MakeTopic({.name = "t"});
  std::vector<uint64_t> acked;
  auto producer = bus_->NewProducer({}, [&](const Ack& ack) {
    EXPECT_OK(ack.status);
    acked.push_back(ack.token);
  });
  ASSERT_OK(producer.status());
  auto consumer = bus_->NewConsumer({.group = "g"});
  ASSERT_OK(consumer.status());
  const AssignedPartition assigned{kFirst, Offset(0), "", false};
  ASSERT_OK((*consumer)->Assign("t", {&assigned, 1}));
  const OffsetCommit commit{kFirst, Offset(0), "stalled"};
  const TopicSpec other{.name = "other"};

  StalledWrites stalled(*database_);
  for (uint64_t token = 0; token < 3; ++token) {
    ASSERT_OK((*producer)->Send({"t", kFirst, "k", "v", {}}, token));
    const absl::Status flushed = (*producer)->Flush(std::chrono::milliseconds(10));
    EXPECT_EQ(flushed.code(), absl::StatusCode::kDeadlineExceeded) << flushed;
  }
  const absl::Status committed = (*consumer)->Commit({&commit, 1}, std::chrono::milliseconds(10));
  EXPECT_EQ(committed.code(), absl::StatusCode::kDeadlineExceeded) << committed;
  const absl::Status made = bus_->EnsureTopics({&other, 1}, std::chrono::milliseconds(10)).status();
  EXPECT_EQ(made.code(), absl::StatusCode::kDeadlineExceeded) << made;
  EXPECT_TRUE(acked.empty());
  EXPECT_EQ(Bounds("t").end, Offset(0));

  stalled.End();
  ASSERT_OK((*producer)->Flush(kTimeout));
  EXPECT_EQ(acked, (std::vector<uint64_t>{0, 1, 2}));
  EXPECT_EQ(Read("t", Offset(0)), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_OK((*consumer)->Commit({&commit, 1}, kTimeout));
  MakeTopic(other);
}

TEST_F(EmbeddedBusTest,
       WhatStallsForADeliveryTimeoutIsGivenUpWithAllThatFollowsAndNoneOfTheOthers) {
  MakeTopic({.name = "t", .partitions = 2});
  std::vector<Ack> acks;
  auto impatient = bus_->NewProducer({.delivery_timeout = std::chrono::milliseconds(20)},
                                     [&](const Ack& ack) { acks.push_back(ack); });
  ASSERT_OK(impatient.status());
  auto patient = bus_->NewProducer({}, [](const Ack& ack) { EXPECT_OK(ack.status); });
  ASSERT_OK(patient.status());

  StalledWrites stalled(*database_);
  ASSERT_OK((*patient)->Send({"t", PartitionId(1), "k", "v", {}}, 0));
  // Until one is refused: some are with the commit thread, some wait for it.
  uint64_t sent = 0;
  while ((*impatient)->Send({"t", kFirst, "k", "v", {}}, sent).ok()) {
    ++sent;
    (*impatient)->Poll(std::chrono::milliseconds(1));
  }
  EXPECT_OK((*impatient)->Flush(kTimeout));
  ASSERT_EQ(acks.size(), sent);
  for (uint64_t i = 0; i < sent; ++i) {
    EXPECT_EQ(acks[i].token, i);
    EXPECT_TRUE(IsFenced(acks[i].status)) << acks[i].status;
  }
  stalled.End();
  EXPECT_OK((*patient)->Flush(kTimeout));
  EXPECT_TRUE(IsFenced((*impatient)->Send({"t", kFirst, "k", "v", {}}, sent)));
  EXPECT_EQ(Bounds("t").end, Offset(0)) << "a record follows a lost one";
}

TEST_F(EmbeddedBusTest, HurriedPollsEndWithoutMessagesHoweverLongTheyMayWait) {
  constexpr Duration kForEver = std::chrono::hours(24);
  MakeTopic({.name = "t"});
  auto consumer = bus_->NewConsumer({.group = "reader"});
  ASSERT_OK(consumer.status());
  const AssignedPartition assigned{kFirst, Offset(0), "", false};
  ASSERT_OK((*consumer)->Assign("t", {&assigned, 1}));
  std::thread waits([&] {
    MessageBatch batch;
    EXPECT_OK((*consumer)->Poll({}, kForEver, &batch));
    EXPECT_TRUE(batch.empty());
  });
  bus_->HurryPolls();
  waits.join();
  MessageBatch batch;
  EXPECT_OK((*consumer)->Poll({}, kForEver, &batch));
  EXPECT_TRUE(batch.empty());
  // Messages still come.
  Produce("t", 3);
  EXPECT_OK((*consumer)->Poll({}, kForEver, &batch));
  EXPECT_FALSE(batch.empty());
}

TEST_F(EmbeddedBusTest, WhatNobodyWaitsForIsAckedAllTheSame) {
  MakeTopic({.name = "t"});
  int acked = 0;
  auto producer = bus_->NewProducer({}, [&](const Ack& ack) {
    EXPECT_OK(ack.status);
    ++acked;
  });
  ASSERT_OK(producer.status());
  for (int sent = 1; sent <= 5; ++sent) {
    ASSERT_OK((*producer)->Send({"t", kFirst, "key", "value", {}}, 1));
    while (acked < sent) {
      (*producer)->Poll(Duration::zero());
      std::this_thread::yield();
    }
  }
}

TEST_F(EmbeddedBusTest, TheDifferencesOfAnExistingTopicAreToldAndLeftAlone) {
  MakeTopic({.name = "t", .partitions = 2});
  const TopicSpec wanted{.name = "t", .partitions = 4, .retention_bytes = 7};
  const auto differences = bus_->EnsureTopics({&wanted, 1}, kTimeout);
  ASSERT_OK(differences.status());
  EXPECT_EQ(*differences, (std::vector<std::string>{"topic t: 2 partitions, expected 4",
                                                    "topic t: retention 0 bytes, expected 7"}));
  Reopen();
  EXPECT_EQ(*bus_->PartitionCount("t", kTimeout), 2);
}

TEST_F(EmbeddedBusTest, ACorruptMessageStopsItsReaderAfterTheGoodOnesBeforeIt) {
  MakeTopic({.name = "t"});
  Produce("t", 10);
  const std::unique_ptr<rocksdb::Iterator> batches(
      database_->db().NewIterator({}, database_->log()));
  // Ten messages may have come to the log in more than one batch: the very last one is cut.
  batches->SeekToLast();
  ASSERT_TRUE(batches->Valid());
  std::string value = batches->value().ToString();
  value.resize(value.size() - 1);
  ASSERT_TRUE(database_->db().Put({}, database_->log(), batches->key(), value).ok());

  auto consumer = bus_->NewConsumer({.group = "reader"});
  ASSERT_OK(consumer.status());
  const AssignedPartition assigned{kFirst, Offset(0), "", false};
  ASSERT_OK((*consumer)->Assign("t", {&assigned, 1}));
  MessageBatch batch;
  absl::Status polled;
  size_t read = 0;
  while (polled.ok() && read <= 10) {
    polled = (*consumer)->Poll({}, Duration::zero(), &batch);
    read += batch.messages().size();
  }
  EXPECT_EQ(read, 9u);
  EXPECT_TRUE(IsFatal(polled)) << polled;
  EXPECT_TRUE(batch.empty());
}

}  // namespace
}  // namespace orbweaver
