// By what leaves the queue.
#include "db_worker/enqueue/enqueuer.h"

#include <algorithm>
#include <string>
#include <vector>

#include "fmt/format.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/random.h"
#include "tests/support/db_worker_fixture.h"

namespace orbweaver {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;

using EnqueuerTest = DbWorkerTest;

TEST_F(EnqueuerTest, AMessageThatCannotBeReadGoesToDeadLetterAndTheOthersGoOn) {
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

TEST_F(EnqueuerTest, AMessageIsAppliedOnceHoweverOftenItComes) {
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

TEST_F(EnqueuerTest, SchedulesOfOneUrlFromTwoEventsAreTwoRequests) {
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/")});
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/")});
  worker_.Settle();
  EXPECT_EQ(Drain(2, 50).size(), 2u);
}

TEST_F(EnqueuerTest, ARaisedUrlMovesUpAndIsMergedWithTheWaitingOne) {
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
}

TEST_F(EnqueuerTest, ARaisedUrlThatHasLeftTheQueueIsNotScheduledAgain) {
  ScheduledRequest raise = DbWorkerHarness::RequestTo("http://one.com/x", 0.1F);
  worker_.Schedule("one.com", {raise});
  worker_.Settle();
  EXPECT_THAT(Urls(Drain(1, 50)), ElementsAre("http://one.com/x"));
  raise.score = 1;
  raise.action = ScheduleAction::kRaise;
  worker_.Schedule("one.com", {raise, DbWorkerHarness::RequestTo("http://one.com/y")});
  worker_.Settle();
  EXPECT_THAT(Urls(Drain(2, 50)), ElementsAre("http://one.com/y"));
}

TEST_F(EnqueuerTest, AUrlThatWaitsForItsTimeWaitsNoMoreOnceItIsRaised) {
  ScheduledRequest request = DbWorkerHarness::RequestTo("http://one.com/x");
  request.not_before = worker_.clock().Wall() + std::chrono::hours(24);
  worker_.Schedule("one.com", {request});
  worker_.Settle();
  EXPECT_TRUE(Drain(2, 50).empty());
  request.not_before = WallTime();
  request.action = ScheduleAction::kRaise;
  worker_.Schedule("one.com", {request});
  worker_.Settle();
  EXPECT_THAT(Urls(Drain(2, 50)), ElementsAre("http://one.com/x"));
}

TEST_F(EnqueuerTest, AUrlThatTheSameMessageAddsIsRaised) {
  const ScheduledRequest add = DbWorkerHarness::RequestTo("http://one.com/x", 0.1F);
  ScheduledRequest raise = DbWorkerHarness::RequestTo("http://one.com/x", 1);
  raise.action = ScheduleAction::kRaise;
  worker_.ScheduleMany("one.com", 3);
  worker_.Schedule("one.com", {add, raise});
  worker_.Settle();
  const auto urls = Urls(Drain(5, 50));
  EXPECT_EQ(urls.size(), 4u);
  EXPECT_EQ(urls.front(), "http://one.com/x");
}

TEST_F(EnqueuerTest, ADeletedUrlIsTakenOutWhereverItWaits) {
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

// The messages of a batch share one search, and what they add stands apart until its end.
TEST_F(EnqueuerTest, ABatchOfActionsDoesWhatTheyDoOneAfterTheOther) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    MemoryTables tables[2];
    std::vector<std::string> urls[2];
    uint64_t taken_out[2];
    for (const bool in_one_batch : {false, true}) {
      MemoryStore store(&tables[in_one_batch], {});
      DbWorkerHarness worker(store);
      worker.politeness().delay = std::chrono::milliseconds(0);
      worker.options().chunk_cache_bytes = seed % 3 == 0 ? 0 : 1 << 20;
      worker.Settle();
      Random random(seed);
      std::vector<std::string> names;
      for (int i = 0; i < 12; ++i) names.push_back("http://one.com/" + std::to_string(i));
      for (int i = 0; i < 60; ++i) {
        std::vector<ScheduledRequest> requests;
        for (uint64_t n = random.Below(5); n > 0; --n) {
          ScheduledRequest request = DbWorkerHarness::RequestTo(names[random.Below(names.size())],
                                                                static_cast<float>(random.Unit()));
          const uint64_t kind = random.Below(8);
          if (kind >= 6) request.action = ScheduleAction::kDelete;
          if (kind == 4 || kind == 5) request.action = ScheduleAction::kRaise;
          if (random.Below(6) == 0) request.not_before = worker.clock().Wall() + minutes(3);
          requests.push_back(request);
        }
        std::optional<DomainUpdate> update;
        if (random.Below(40) == 0) update = DomainUpdate{.purge = true};
        worker.Schedule("one.com", requests, update);
        if (!in_one_batch || i == 20) worker.Settle();
      }
      worker.Settle();
      for (int looks = 0; looks < 300; ++looks) {
        worker.CommitFeed();
        worker.clock().Advance(std::chrono::seconds(1));
        worker.StepOnce();
        for (auto& sent : worker.NewInFeed()) {
          urls[in_one_batch].push_back(fmt::format("{} {}", sent.band, sent.url));
        }
      }
      const std::array<uint64_t, kBands> none{};
      EXPECT_EQ(worker.core().Inspect("one.com")->waiting, none);
      EXPECT_EQ(worker.core().Inspect("one.com")->delayed, 0u);
      taken_out[in_one_batch] = worker.metrics().taken_out.value();
    }
    EXPECT_EQ(urls[0], urls[1]) << "seed " << seed;
    EXPECT_EQ(taken_out[0], taken_out[1]) << "seed " << seed;
    EXPECT_GT(taken_out[0], 0u);
  }
}

TEST_F(EnqueuerTest, DeletesThatTouchMoreThanOnePutCanHoldAreStillApplied) {
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

TEST_F(EnqueuerTest, APurgeDropsWhatIsQueuedAndWhatComesLaterStays) {
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

TEST_F(EnqueuerTest, SmallChunksOfATrickleAreWrittenTogether) {
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

}  // namespace
}  // namespace orbweaver
