// The whole worker on bus and store in memory. Crashes and zombies are tests/sim's.
#include "db_worker/db_worker_core.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/store/memory/memory_store.h"
#include "db_worker/dequeue/checkpoint.h"
#include "db_worker/queue/columns.h"
#include "tests/support/db_worker_harness.h"

namespace orbweaver {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DbWorkerCoreTest : public ::testing::Test {
 protected:
  MemoryTables tables_;
  MemoryStore store_{&tables_, {}};
  DbWorkerHarness worker_{store_};

  static std::vector<std::string> Urls(const std::vector<DbWorkerHarness::Sent>& sent) {
    std::vector<std::string> urls;
    for (const auto& one : sent) urls.push_back(one.url);
    return urls;
  }
  // Until `requests` came or for so many looks at the feed, which the spiders finish each time.
  std::vector<DbWorkerHarness::Sent> Drain(size_t requests, int looks = 100'000) {
    std::vector<DbWorkerHarness::Sent> all;
    for (; all.size() < requests && looks > 0; --looks) {
      worker_.CommitFeed();
      worker_.StepOnce();
      for (auto& sent : worker_.NewInFeed()) all.push_back(std::move(sent));
    }
    return all;
  }
  void WithoutDelays() { worker_.feed().min_delay = milliseconds(0); }
};

// ---- What Frontera's queue did on HBase.

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

// ---- Enqueue.

TEST_F(DbWorkerCoreTest, AMessageThatCannotBeReadGoesToDeadLetterAndTheOthersGoOn) {
  worker_.AppendBytes("one.com", "no message");
  // The key says one domain, the entry another.
  worker_.Append("one.com",
                 {.epoch = Offset(0),
                  .entry = ScheduleRequests{
                      .source_topic_epoch = 1, .source_offset = Offset(7), .domain = "two.com"}});
  worker_.ScheduleMany("one.com", 1);
  worker_.Settle();
  EXPECT_EQ(worker_.metrics().poison.value(), 2u);
  EXPECT_EQ(Drain(1, 10).size(), 1u);
  const PartitionId partition(0);
  EXPECT_EQ((*(*worker_.bus().NewOffsetReader())
                  ->Bounds(kDeadLetterTopic, {&partition, 1}, DbWorkerHarness::kLong))[0]
                .end,
            Offset(2));
}

TEST_F(DbWorkerCoreTest, AMessageIsAppliedOnceHoweverOftenItComes) {
  const ScheduledRequest request = DbWorkerHarness::RequestTo("http://one.com/");
  const ScoringLogEntry entry{.epoch = Offset(0),
                              .entry = ScheduleRequests{.source_topic_epoch = 1,
                                                        .source_offset = Offset(5),
                                                        .domain = "one.com",
                                                        .requests = {&request, 1}}};
  worker_.Append("one.com", entry);
  worker_.Append("one.com", entry);
  worker_.Settle();
  worker_.Restart();
  worker_.Append("one.com", entry);
  worker_.Settle();
  EXPECT_EQ(worker_.metrics().replayed.value(), 2u);
  EXPECT_EQ(Drain(2, 50).size(), 1u);
}

TEST_F(DbWorkerCoreTest, SchedulesOfOneUrlFromTwoEventsAreTwoRequests) {
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/")});
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/")});
  worker_.Settle();
  EXPECT_EQ(Drain(2, 50).size(), 2u);
}

TEST_F(DbWorkerCoreTest, ARaisedUrlMovesUpAndIsMergedWithTheWaitingOne) {
  for (int i = 0; i < 300; ++i) worker_.ScheduleMany("one.com", 1, 0.1F);
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/x", 0.1F)});
  ScheduledRequest raise = DbWorkerHarness::RequestTo("http://one.com/x", 1);
  raise.action = ScheduleAction::kRaise;
  worker_.Settle();
  worker_.Restart();
  worker_.Schedule("one.com", {raise});
  // Where it is already better, it stays.
  raise.score = 0.5;
  worker_.Schedule("one.com", {raise});
  worker_.Settle();
  const auto urls = Urls(Drain(301));
  EXPECT_EQ(urls.front(), "http://one.com/x");
  EXPECT_EQ(std::count(urls.begin(), urls.end(), "http://one.com/x"), 1);
  // It waits no more: it is queued.
  worker_.Schedule("one.com", {raise});
  worker_.Settle();
  EXPECT_THAT(Urls(Drain(1, 50)), ElementsAre("http://one.com/x"));
}

TEST_F(DbWorkerCoreTest, ADeletedUrlIsTakenOutWhereverItWaits) {
  const WallTime later = worker_.clock().Wall() + minutes(2);
  ScheduledRequest ready = DbWorkerHarness::RequestTo("http://one.com/x");
  ScheduledRequest delayed = ready;
  delayed.not_before = later;
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/keep"), ready, delayed});
  ScheduledRequest remove = ready;
  remove.action = ScheduleAction::kDelete;
  // Also what the same message adds before it.
  worker_.Schedule("one.com", {ready, remove, DbWorkerHarness::RequestTo("http://one.com/y")});
  worker_.Settle();
  EXPECT_EQ(worker_.metrics().taken_out.value(), 3u);
  EXPECT_THAT(Urls(Drain(9, 1000)), ElementsAre("http://one.com/keep", "http://one.com/y"));
  EXPECT_EQ(worker_.core().Inspect("one.com")->delayed, 0u);
}

TEST_F(DbWorkerCoreTest, DeletesThatTouchMoreThanOnePutCanHoldAreStillApplied) {
  WithoutDelays();
  // Chunks of five requests of 12 KB: 400 of them are more than the 16 MB of a put.
  const std::string large(512, 'x');
  std::vector<Meta> meta;
  std::vector<std::string> keys;
  for (int i = 0; i < 16; ++i) keys.push_back("key" + std::to_string(i));
  for (const std::string& key : keys) meta.push_back({key, large});
  const std::string padding(1900, 'y');
  constexpr int kUrls = 2000;
  std::vector<std::string> urls;
  for (int i = 0; i < kUrls; ++i) urls.push_back("http://one.com/" + std::to_string(i) + padding);
  for (int i = 0; i < kUrls; i += 50) {
    std::vector<ScheduledRequest> requests;
    for (int j = i; j < i + 50; ++j) {
      requests.push_back(DbWorkerHarness::RequestTo(urls[j]));
      requests.back().meta = meta;
    }
    worker_.Schedule("one.com", requests);
  }
  std::vector<ScheduledRequest> removes;
  for (int i = 0; i < kUrls; i += 5) {
    removes.push_back(DbWorkerHarness::RequestTo(urls[i]));
    removes.back().action = ScheduleAction::kDelete;
  }
  worker_.Schedule("one.com", removes);
  worker_.Settle();
  EXPECT_EQ(worker_.metrics().taken_out.value(), removes.size());
  EXPECT_EQ(Drain(kUrls, 100).size(), kUrls - removes.size());
}

TEST_F(DbWorkerCoreTest, APurgeDropsWhatIsQueuedAndWhatComesLaterStays) {
  worker_.ScheduleMany("one.com", 300);
  worker_.ScheduleMany("one.com", 10, 0.5, worker_.clock().Wall() + minutes(5));
  worker_.Settle();
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/new")},
                   DomainUpdate{.purge = true});
  worker_.Settle();
  worker_.Restart();
  worker_.Settle();
  EXPECT_THAT(Urls(Drain(2, 3000)), ElementsAre("http://one.com/new"));
}

TEST_F(DbWorkerCoreTest, SmallChunksOfATrickleAreWrittenTogether) {
  for (int i = 0; i < 20; ++i) {
    worker_.ScheduleMany("one.com", 1);
    worker_.Settle();
  }
  worker_.options().chunk_cache_bytes = 0;
  worker_.Restart();
  worker_.Settle();
  Drain(20);
  // One chunk, read several times, as there is no cache.
  EXPECT_LE(worker_.metrics().chunks_read.value(), 20u);
  EXPECT_EQ(worker_.metrics().requests_sent.value(), 20u);
}

// ---- Dequeue.

TEST_F(DbWorkerCoreTest, BetterRequestsLeaveFirst) {
  worker_.feed().target_lag = worker_.feed().low_lag = 3;
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/low", 0.1F),
                               DbWorkerHarness::RequestTo("http://one.com/high", 0.9F),
                               DbWorkerHarness::RequestTo("http://one.com/high2", 0.9F)});
  worker_.Settle();
  EXPECT_THAT(Urls(Drain(3)),
              ElementsAre("http://one.com/high", "http://one.com/high2", "http://one.com/low"));
}

TEST_F(DbWorkerCoreTest, ADelayHoldsAcrossBatchesAndARestart) {
  worker_.Schedule("one.com", {}, DomainUpdate{.crawl_delay = seconds(30)});
  worker_.ScheduleMany("one.com", 5);
  worker_.Settle();
  auto sent = Drain(3);
  worker_.Restart();
  worker_.Settle();
  for (auto& one : Drain(2)) sent.push_back(std::move(one));
  ASSERT_EQ(sent.size(), 5u);
  for (size_t i = 1; i < sent.size(); ++i) {
    EXPECT_GE(sent[i].time - sent[i - 1].time, seconds(30));
    EXPECT_EQ(sent[i].delay, seconds(30));
  }
}

TEST_F(DbWorkerCoreTest, OneDomainAloneFlowsAtItsDelay) {
  worker_.ScheduleMany("one.com", 200);
  worker_.Settle();
  const WallTime start = worker_.clock().Wall();
  const auto sent = Drain(200);
  ASSERT_EQ(sent.size(), 200u);
  EXPECT_LE(sent.back().time - start, seconds(200) + worker_.feed().interval * 30);
}

TEST_F(DbWorkerCoreTest, ABlockedDomainWaitsAndAnOperatorCanLiftIt) {
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/")},
                   DomainUpdate{.blocked_until = worker_.clock().Wall() + hours(1)});
  worker_.ScheduleMany("two.com", 1);
  worker_.Settle();
  EXPECT_EQ(Drain(2, 50).front().domain, "two.com");
  EXPECT_EQ(worker_.core().Report().front().blocked, 1u);
  ASSERT_TRUE(worker_.core().ChangeDomain("one.com", {.blocked_until = WallTime()}).ok());
  EXPECT_EQ(Drain(1, 3).front().domain, "one.com");
  // And block it again, for good.
  const WallTime until = worker_.clock().Wall() + hours(2);
  ASSERT_TRUE(worker_.core().ChangeDomain("one.com", {.blocked_until = until}).ok());
  worker_.Restart();
  worker_.Settle();
  EXPECT_EQ(worker_.core().Inspect("one.com")->blocked_until, until);
  ASSERT_TRUE(worker_.core().ChangeDomain("one.com", {.purge = true}).ok());
  EXPECT_EQ(worker_.core().Inspect("nobody.com").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(DbWorkerCoreTest, APausedPartitionSendsNothingUntilItIsResumed) {
  worker_.ScheduleMany("one.com", 1);
  worker_.Settle();
  ASSERT_TRUE(worker_.core().SetPaused(PartitionId(0), true));
  EXPECT_FALSE(worker_.core().SetPaused(PartitionId(9), true));
  EXPECT_THAT(Drain(1, 20), IsEmpty());
  worker_.core().SetPaused(PartitionId(0), false);
  EXPECT_EQ(Drain(1, 3).size(), 1u);
}

TEST_F(DbWorkerCoreTest, ADeadSpidersPartitionStandsStillAndTheOthersGoOn) {
  MemoryTables tables;
  MemoryStore store(&tables, {});
  DbWorkerHarness worker(store, 4);
  worker.feed().low_lag = 10;
  worker.feed().target_lag = 20;
  for (int i = 0; i < 400; ++i) worker.ScheduleMany("d" + std::to_string(i) + ".com", 1);
  worker.Settle();
  const PartitionId dead(1);
  for (int i = 0; i < 50; ++i) {
    worker.StepOnce();
    for (int p = 0; p < 4; ++p) {
      if (PartitionId(p) != dead) worker.CommitFeed(PartitionId(p), worker.End(PartitionId(p)));
    }
  }
  EXPECT_EQ(worker.End(dead).value(), 20);
  for (int p = 0; p < 4; ++p) {
    if (PartitionId(p) != dead) EXPECT_GT(worker.End(PartitionId(p)).value(), 60);
  }
}

TEST_F(DbWorkerCoreTest, ALogThatWasCutUnderTheSpidersIsReported) {
  WithoutDelays();
  worker_.ScheduleMany("one.com", 40);
  worker_.Settle();
  const auto sent = Drain(40);
  worker_.CommitFeed(PartitionId(0), Offset(5));
  ASSERT_TRUE(worker_.broker().CutLog(kSpiderFeedTopic, PartitionId(0), Offset(25)).ok());
  worker_.StepOnce();
  EXPECT_EQ(worker_.core().Report().front().lag_state, LagState::kLogCut);
  EXPECT_EQ(worker_.metrics().feed_lost.value(), 20u);
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
  // The second of three.
  const std::string row = DomainRow("one.com");
  const std::string column = BandColumn(4, 1);
  const CellPut cell{column, "damaged"};
  const RowPut put{row, kMaxVersion, {&cell, 1}};
  std::vector<uint32_t> remaining;
  ASSERT_TRUE(store_.Write(Table::kQueue, {&put, 1}, DbWorkerHarness::kLong, &remaining).ok());
  EXPECT_EQ(Drain(300, 50).size(), 200u);
  EXPECT_EQ(worker_.metrics().damaged_chunks.value(), 1u);
  EXPECT_EQ(worker_.core().Inspect("one.com")->waiting[4], 0u);
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

}  // namespace
}  // namespace orbweaver
