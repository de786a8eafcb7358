// The whole worker on bus and store in memory; past 400 lines, since all cases share its fixture.
// tests/sim covers crashes and zombies.
#include "db_worker/db_worker_core.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fmt/format.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/bus/topics.h"
#include "common/protocol/owned_log.h"
#include "common/protocol/version_sequence.h"
#include "common/url/partition.h"
#include "db_worker/dequeue/checkpoint.h"
#include "db_worker/queue/columns.h"
#include "db_worker/queue/head.h"
#include "tests/support/db_worker_fixture.h"

namespace orbweaver {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::IsEmpty;

using DbWorkerCoreTest = DbWorkerTest;

// ---- Faults of Frontera's queue on HBase.

TEST_F(DbWorkerCoreTest, FiveHundredUrlsOfOneHostAllComeOut) {
  worker_.ScheduleMany("one.com", 500);
  worker_.Settle();
  const auto urls = Urls(Drain(500));
  EXPECT_EQ(std::set<std::string>(urls.begin(), urls.end()).size(), 500u);
  EXPECT_THAT(Drain(1, 50), IsEmpty());
}

TEST_F(DbWorkerCoreTest, ThreeHundredUrlsOfThirtyHostsAllComeOut) {
  for (int i = 0; i < 30; ++i) worker_.ScheduleMany("host" + std::to_string(i) + ".com", 300);
  worker_.Settle();
  const auto urls = Urls(Drain(9000));
  EXPECT_EQ(std::set<std::string>(urls.begin(), urls.end()).size(), 9000u);
}

TEST_F(DbWorkerCoreTest, ItsLagIsTheAgeOfWhatItReadsUntilNothingIsLeft) {
  worker_.Settle();
  worker_.ScheduleMany("one.com", 5);
  worker_.clock().Advance(seconds(3));
  worker_.StepOnce();
  EXPECT_GE(worker_.metrics().lag_seconds.value(), 3);
  worker_.Settle();
  EXPECT_EQ(worker_.metrics().lag_seconds.value(), 0);
}

TEST_F(DbWorkerCoreTest, ABatchIsNeverLargerThanWhatWasAskedFor) {
  WithoutDelays();
  worker_.feed().low_lag = worker_.feed().target_lag = 256;
  worker_.feed().max_per_domain = 100'000;
  worker_.ScheduleMany("one.com", 5000);
  worker_.Settle();
  worker_.NewInFeed();
  for (int i = 0; i < 10; ++i) {
    const Offset committed = worker_.End();
    worker_.CommitFeed();
    worker_.StepOnce();
    EXPECT_EQ(worker_.End() - committed, 256);
    // A dead spider's partition stays as it is.
    worker_.StepOnce();
    EXPECT_EQ(worker_.End() - committed, 256);
  }
}

TEST_F(DbWorkerCoreTest, AUrlDueTomorrowComesTomorrow) {
  const WallTime tomorrow = worker_.clock().Wall() + hours(24);
  worker_.ScheduleMany("one.com", 1, 1.0, tomorrow);
  worker_.Settle();
  while (worker_.clock().Wall() + minutes(1) < tomorrow) {
    worker_.clock().Advance(seconds(40));
    EXPECT_THAT(Drain(1, 1), IsEmpty());
  }
  const auto sent = Drain(1, 1000);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_GE(sent[0].time, tomorrow);
  EXPECT_LE(sent[0].time, tomorrow + seconds(2));
}

TEST_F(DbWorkerCoreTest, AfterAMillionConsumedRequestsABatchReadsNoMoreThanAtTheStart) {
  WithoutDelays();
  worker_.options().chunk_cache_bytes = 0;
  worker_.options().checkpoint_interval = seconds(1);
  worker_.feed().max_per_domain = 1000;
  constexpr int kHosts = 10, kOfEach = 100'000;
  const auto cells_of_a_batch = [&] {
    worker_.CommitFeed();
    const uint64_t before = tables_.cells_read();
    worker_.StepOnce();
    return tables_.cells_read() - before;
  };
  for (int i = 0; i < kHosts; ++i) worker_.ScheduleMany("h" + std::to_string(i) + ".com", kOfEach);
  worker_.Settle();
  const uint64_t at_start = cells_of_a_batch();
  while (worker_.metrics().requests_sent.value() < kHosts * kOfEach) {
    worker_.CommitFeed();
    worker_.StepOnce();
  }
  for (int i = 0; i < kHosts; ++i) worker_.ScheduleMany("h" + std::to_string(i) + ".com", 1000);
  worker_.Settle();
  EXPECT_LE(cells_of_a_batch(), at_start);
}

TEST_F(DbWorkerCoreTest, TellsWhenTheFirstOfItsRequestsMayLeave) {
  const auto next_due = [this] { return worker_.core().Report().front().next_due; };
  worker_.Settle();
  EXPECT_EQ(next_due(), WallTime::max());
  const WallTime now = worker_.clock().Wall();
  worker_.ScheduleMany("one.com", 1, 1.0, now + hours(24));
  worker_.Settle();
  // A bucket may open somewhat before what is in it is due.
  EXPECT_GT(next_due(), now + hours(23));
  EXPECT_LE(next_due(), now + hours(24));
  worker_.ScheduleMany("two.com", 1, 1.0, now + hours(2));
  worker_.Settle();
  EXPECT_GT(next_due(), now + hours(1));
  EXPECT_LE(next_due(), now + hours(2));
  // A block holds back what would be due, and no other domain.
  worker_.Schedule("two.com", {}, DomainUpdate{.blocked_until = now + hours(12)});
  worker_.Settle();
  EXPECT_EQ(next_due(), now + hours(12));
  worker_.Schedule("three.com", {}, DomainUpdate{.blocked_until = now + hours(6)});
  worker_.ScheduleMany("three.com", 1);
  worker_.Settle();
  EXPECT_EQ(next_due(), now + hours(6));
}

// ---- Take-over and retries.

TEST_F(DbWorkerCoreTest, ReadsBackNoMoreThanTheLastCheckpointLeft) {
  WithoutDelays();
  worker_.options().checkpoint_interval = hours(1);
  worker_.options().checkpoint_requests = 1'000'000;
  worker_.feed().target_lag = worker_.feed().low_lag = 50;
  worker_.ScheduleMany("one.com", 1000);
  worker_.Settle();
  Drain(500);
  worker_.Restart();
  worker_.Settle();
  const uint64_t first = worker_.metrics().read_back.value();
  EXPECT_GE(first, 500u);
  EXPECT_LE(first, 560u);
  // Its own checkpoint was the end of the take-over.
  worker_.Restart();
  worker_.Settle();
  EXPECT_LE(worker_.metrics().read_back.value() - first, 60u);
  const auto checkpoint = LoadCheckpoint(store_, PartitionId(0), DbWorkerHarness::kLong);
  ASSERT_TRUE(checkpoint.ok() && checkpoint->has_value());
  EXPECT_EQ((*checkpoint)->topic_epoch, 1u);
}

TEST_F(DbWorkerCoreTest, AWorkerThatRanOutOfVersionsTakesItsPartitionAgainAndRepeatsNothing) {
  WithoutDelays();
  worker_.ScheduleMany("one.com", 300);
  worker_.Settle();
  const Offset epoch = worker_.core().Report().front().epoch;
  auto urls = Urls(Drain(100, 1));
  ASSERT_GE(urls.size(), 10u);
  // Each is a batch and so a flush of its own.
  ScheduledRequest none = DbWorkerHarness::RequestTo("http://two.com/none");
  none.action = ScheduleAction::kDelete;
  for (uint64_t n = 0; n < Partition::kMaxFlushes; ++n) {
    worker_.Schedule("two.com", {none});
    ASSERT_TRUE(worker_.core().Step(Duration::zero()).ok());
  }
  worker_.ScheduleMany("two.com", 100);
  worker_.Settle();
  EXPECT_GT(worker_.core().Report().front().epoch, epoch);
  EXPECT_EQ(worker_.metrics().take_overs.value(), 2u);
  for (std::string& url : Urls(Drain(400 - urls.size()))) urls.push_back(std::move(url));
  EXPECT_EQ(std::set<std::string>(urls.begin(), urls.end()).size(), 400u);
  EXPECT_THAT(Drain(1, 50), IsEmpty());
}

// Takes its share of the group's partitions and does nothing with them.
class Bystander : public RebalanceListener {
 public:
  explicit Bystander(Bus& bus)
      : consumer_(*bus.NewConsumer({.group = std::string(kDbWorkerGroup),
                                    .member = "a bystander",
                                    .session_timeout = std::chrono::hours(1)})) {
    EXPECT_TRUE(consumer_->Subscribe(kScoringLogTopic, this).ok());
  }
  void Poll() {
    MessageBatch batch;
    EXPECT_TRUE(consumer_->Poll({}, Duration::zero(), &batch).ok());
  }
  const std::set<PartitionId>& has() const { return has_; }

  void OnAssigned(std::span<const AssignedPartition> partitions) override {
    for (const AssignedPartition& one : partitions) has_.insert(one.partition);
  }
  void OnRevoked(std::span<const PartitionId> partitions) override {
    for (const PartitionId one : partitions) has_.erase(one);
  }
  void OnLost(std::span<const PartitionId> partitions) override { OnRevoked(partitions); }

 private:
  std::set<PartitionId> has_;
  const std::unique_ptr<Consumer> consumer_;
};

// Of a table of few rows all are read, and others' passed over; of one of many rows the slots of
// others are left out.
TEST(TakeOverTest, AWorkerGetsTheDomainsOfItsPartitionsAndNoOthersHoweverManyThereAre) {
  constexpr int kPartitions = 256;
  for (const int domains : {40, 5000}) {
    MemoryTables tables;
    MemoryStore store(&tables, {});
    DbWorkerHarness worker(store, kPartitions);
    std::map<PartitionId, uint64_t> expected;
    for (int i = 0; i < domains; ++i) {
      const std::string domain = fmt::format("site{}.com", i);
      worker.ScheduleMany(domain, 1);
      ++expected[PartitionOf(SlotOf(domain), kPartitions)];
    }
    worker.Settle();
    Bystander bystander(worker.bus());
    bystander.Poll();
    worker.Restart();
    worker.core().Step(Duration::zero()).IgnoreError();
    bystander.Poll();
    worker.Settle();
    const auto reports = worker.core().Report();
    ASSERT_EQ(bystander.has().size(), kPartitions / 2);
    ASSERT_EQ(reports.size(), kPartitions / 2);
    for (const PartitionReport& report : reports) {
      EXPECT_FALSE(bystander.has().contains(report.partition));
      EXPECT_EQ(report.domains, expected[report.partition]) << report.partition.value();
      EXPECT_EQ(report.waiting[static_cast<size_t>(BandOf(0.5F))], expected[report.partition]);
    }
  }
}

TEST_F(DbWorkerCoreTest, WhatRetentionDeletedUnreadIsCountedAndTheRestGoesOnWhereThatIsConfigured) {
  worker_.membership().on_cut = OnCutLog::kContinue;
  worker_.ScheduleMany("one.com", 100);
  worker_.Settle();
  // While no worker runs, ten messages come, and seven of them go.
  const PartitionId partition(0);
  for (int i = 0; i < 10; ++i) worker_.ScheduleMany("two.com", 1);
  ASSERT_TRUE(worker_.broker().CutLog(kScoringLogTopic, partition, Offset(8)).ok());
  worker_.Restart();
  worker_.Settle();
  EXPECT_EQ(worker_.metrics().lost.value(), 7u);
  EXPECT_EQ(worker_.core().Inspect("two.com")->waiting[4], 3u);
  // Once only.
  worker_.ScheduleMany("two.com", 1);
  worker_.Restart();
  worker_.Settle();
  EXPECT_EQ(worker_.metrics().lost.value(), 7u);
  EXPECT_EQ(Drain(104).size(), 104u);
}

TEST_F(DbWorkerCoreTest, ALogThatIsCutUnderARunningWorkerIsNoticedToo) {
  worker_.membership().on_cut = OnCutLog::kContinue;
  worker_.Restart();
  worker_.ScheduleMany("one.com", 100);
  worker_.Settle();
  for (int i = 0; i < 10; ++i) worker_.ScheduleMany("two.com", 1);
  ASSERT_TRUE(worker_.broker().CutLog(kScoringLogTopic, PartitionId(0), Offset(4)).ok());
  worker_.Settle();
  worker_.Settle();
  EXPECT_EQ(worker_.metrics().lost.value(), 3u);
  EXPECT_EQ(worker_.core().Inspect("two.com")->waiting[4], 7u);
}

TEST_F(DbWorkerCoreTest, DomainsThatWereForgottenKeepTheirWatermarkAndTheirNumbers) {
  worker_.options().index_bytes = 1;
  const ScheduledRequest request = DbWorkerHarness::RequestTo("http://one.com/");
  const ScoringLogEntry entry{.epoch = Offset(0),
                              .entry = ScheduleRequests{.source_topic_epoch = 1,
                                                        .source_offset = Offset(5),
                                                        .domain = "one.com",
                                                        .requests = {&request, 1}}};
  worker_.Append("one.com", entry);
  worker_.Settle();
  EXPECT_EQ(Drain(1, 10).size(), 1u);
  worker_.clock().Advance(seconds(11));
  worker_.StepOnce();
  EXPECT_EQ(worker_.core().Report().front().domains, 0u);
  worker_.Append("one.com", entry);
  worker_.Settle();
  EXPECT_EQ(worker_.metrics().replayed.value(), 1u);
  EXPECT_TRUE(worker_.core().Inspect("one.com").ok());
}

TEST_F(DbWorkerCoreTest, AStoreThatIsAwayIsWaitedForWithoutLossOrRepetition) {
  WithoutDelays();
  worker_.ScheduleMany("one.com", 250);
  worker_.Settle();
  worker_.ScheduleMany("two.com", 250);
  tables_.SetAvailable(false);
  int failed = 0;
  for (int i = 0; i < 20; ++i) {
    worker_.clock().Advance(seconds(1));
    const absl::Status status = worker_.core().Step(Duration::zero());
    if (!status.ok()) {
      EXPECT_TRUE(IsRetry(status));
      ++failed;
    }
  }
  EXPECT_GT(failed, 0);
  tables_.SetAvailable(true);
  worker_.Settle();
  const auto urls = Urls(Drain(500, 2000));
  EXPECT_EQ(urls.size(), 500u);
  EXPECT_EQ(std::set<std::string>(urls.begin(), urls.end()).size(), 500u);
}

TEST_F(DbWorkerCoreTest, ADamagedChunkIsReportedAndTheDomainGoesOn) {
  worker_.options().chunk_cache_bytes = 0;
  WithoutDelays();
  for (int i = 0; i < 3; ++i) {
    worker_.ScheduleMany("one.com", 100);
    worker_.Settle();
  }
  const std::string row = DomainRow("one.com");
  const RowGet get{.row = row, .columns = {}};
  Rows rows;
  ASSERT_TRUE(store_.MultiGet(Table::kQueue, {&get, 1}, DbWorkerHarness::kLong, &rows).ok());
  ASSERT_EQ(rows[0].size(), 4u);  // the head, and three chunks
  const std::string column(rows[0][2].column);
  const CellPut cell{column, "damaged"};
  const RowPut put{row, kMaxVersion, {&cell, 1}};
  std::vector<uint32_t> remaining;
  ASSERT_TRUE(store_.Write(Table::kQueue, {&put, 1}, DbWorkerHarness::kLong, &remaining).ok());
  EXPECT_EQ(Drain(300, 50).size(), 200u);
  EXPECT_EQ(worker_.metrics().damaged_chunks.value(), 1u);
  EXPECT_EQ(worker_.core().Inspect("one.com")->waiting[4], 0u);
}

// Bytes from disk: somebody else's rows, or damaged ones.
TEST(TakeOverTest, ARowThatIsNoDomainsIsAnErrorThatNamesIt) {
  const std::string slot("\0\x05", 2);
  for (const std::string& row :
       {std::string("\0", 1), std::string("\x01"), slot, slot + std::string(256, 'a'),
        std::string("\xff\xff"
                    "com",
                    5)}) {
    MemoryTables tables;
    MemoryStore store(&tables, {});
    DbWorkerHarness worker(store);
    std::string packed;
    EncodeHead({}, &packed);
    const CellPut cell{kHeadColumn, packed};
    const RowPut put{row, Version(1), {&cell, 1}};
    std::vector<uint32_t> remaining;
    ASSERT_TRUE(store.Write(Table::kQueue, {&put, 1}, DbWorkerHarness::kLong, &remaining).ok());
    worker.Restart();
    absl::Status status;
    for (int i = 0; i < 10 && status.ok(); ++i) status = worker.core().Step(Duration::zero());
    EXPECT_TRUE(IsFatal(status)) << status << " of a row of " << row.size() << " bytes";
    EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("is no domain's"));
  }
}

TEST_F(DbWorkerCoreTest, ConsumedChunksAreErased) {
  WithoutDelays();
  worker_.feed().max_per_domain = 1000;
  worker_.ScheduleMany("one.com", 5000);
  worker_.ScheduleMany("one.com", 200, 0.5, worker_.clock().Wall() + seconds(90));
  worker_.Settle();
  Drain(5200);
  for (int i = 0; i < 3; ++i) worker_.StepOnce();
  const std::string row = DomainRow("one.com");
  const RowGet get{.row = row, .columns = {}};
  Rows rows;
  ASSERT_TRUE(store_.MultiGet(Table::kQueue, {&get, 1}, DbWorkerHarness::kLong, &rows).ok());
  ASSERT_EQ(rows[0].size(), 1u);
  EXPECT_EQ(rows[0][0].column, kHeadColumn);
}

// ---- Logs that are not those that the store knows.

TEST_F(DbWorkerCoreTest, AFeedMadeAnewIsNotTakenOverHoweverFarItHasGrown) {
  worker_.ScheduleMany("one.com", 5);
  worker_.Settle();
  ASSERT_TRUE(worker_.broker().MakeAnew(kSpiderFeedTopic).ok());
  for (int i = 0; i < 3; ++i) worker_.AppendToFeed("one.com", "of another crawl");
  worker_.Restart();
  absl::Status status;
  for (int i = 0; i < 10 && status.ok(); ++i) status = worker_.core().Step({});
  EXPECT_TRUE(IsFatal(status) && !IsFenced(status)) << status;
  EXPECT_NE(MessageOf(status).find("'spider-feed' partition 0"), std::string_view::npos) << status;
  EXPECT_EQ(worker_.End(), Offset(3)) << "a marker was written";
}

TEST_F(DbWorkerCoreTest, ACheckpointAboveTheOwnersEpochIsFatalWhenNobodyCameLater) {
  const std::string value =
      EncodeCheckpoint({.topic_epoch = 1, .offset = Offset(900), .epoch = Offset(800)});
  const CellPut cell{kCheckpointColumn, value};
  const std::string row = CheckpointRow(PartitionId(0));
  const RowPut put{.row = row, .version = Version(1), .cells = {&cell, 1}};
  std::vector<uint32_t> remaining;
  ASSERT_TRUE(store_.Write(Table::kPartitions, {&put, 1}, minutes(1), &remaining).ok());
  worker_.Restart();
  absl::Status status;
  for (int i = 0; i < 10 && status.ok(); ++i) status = worker_.core().Step({});
  EXPECT_TRUE(IsFatal(status) && !IsFenced(status)) << status;
  EXPECT_NE(MessageOf(status).find("checkpoint"), std::string_view::npos) << status;
}

class HeadVersionTest : public DbWorkerTest {
 protected:
  // As the owner of that epoch leaves an empty queue.
  void PutHead(const std::string& domain, Offset epoch) {
    Head head;
    head.applied = {1, Offset(0), 0};
    std::string packed;
    EncodeHead(head, &packed);
    const std::string row = DomainRow(domain);
    const CellPut cell{kHeadColumn, packed};
    const RowPut put{row, *VersionSequence::Create(1, epoch)->Next(), {&cell, 1}};
    std::vector<uint32_t> remaining;
    ASSERT_TRUE(store_.Write(Table::kQueue, {&put, 1}, minutes(1), &remaining).ok());
  }
  absl::Status Run() {
    absl::Status status;
    for (int i = 0; i < 10 && status.ok(); ++i) status = worker_.core().Step({});
    return status;
  }
  // A worker whose index has forgotten a domain that others had.
  void SettleWithoutHeads() {
    worker_.options().index_bytes = 1;
    for (const char* domain : {"a.com", "b.com", "c.com", "one.com"}) PutHead(domain, Offset(0));
    worker_.ScheduleMany("two.com", 1);
    worker_.Settle();
    ASSERT_FALSE(worker_.core().Report().empty());
  }
};

TEST_F(HeadVersionTest, AHeadAboveTheOwnersVersionsIsFatalAtItsTakeOverWhenNobodyCameLater) {
  PutHead("one.com", Offset(500));
  worker_.Restart();
  const absl::Status status = Run();
  EXPECT_TRUE(IsFatal(status) && !IsFenced(status)) << status;
  EXPECT_NE(MessageOf(status).find("one.com: its head has version"), std::string_view::npos)
      << status;
}

TEST_F(HeadVersionTest, AForgottenHeadAboveTheOwnersVersionsIsFatalWhenNobodyCameLater) {
  SettleWithoutHeads();
  PutHead("one.com", Offset(500));
  worker_.ScheduleMany("one.com", 1);
  const absl::Status status = Run();
  EXPECT_TRUE(IsFatal(status) && !IsFenced(status)) << status;
}

TEST_F(HeadVersionTest, AForgottenHeadOfALaterOwnerFencesItsReader) {
  SettleWithoutHeads();
  auto log = OwnedLog::Create(worker_.bus(), worker_.clock(),
                              {.topic = std::string(kSpiderFeedTopic), .owner = "later"});
  ASSERT_TRUE(log.ok());
  const auto epoch = (*log)->TakeOver(PartitionId(0), minutes(1));
  ASSERT_TRUE(epoch.ok());
  PutHead("one.com", *epoch);
  worker_.ScheduleMany("one.com", 1);
  const absl::Status status = Run();
  EXPECT_TRUE(IsFenced(status)) << status;
}

}  // namespace
}  // namespace orbweaver
