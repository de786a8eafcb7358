#include "db_worker/dequeue/dequeuer.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/db_worker_fixture.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using DequeuerTest = DbWorkerTest;

TEST_F(DequeuerTest, BetterRequestsLeaveFirst) {
  worker_.feed().target_lag = worker_.feed().low_lag = 3;
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/low", 0.1F),
                               DbWorkerHarness::RequestTo("http://one.com/high", 0.9F),
                               DbWorkerHarness::RequestTo("http://one.com/high2", 0.9F)});
  worker_.Settle();
  EXPECT_THAT(Urls(Drain(3)),
              ElementsAre("http://one.com/high", "http://one.com/high2", "http://one.com/low"));
}

TEST_F(DequeuerTest, ADelayHoldsAcrossBatchesAndARestart) {
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

TEST_F(DequeuerTest, OneDomainAloneFlowsAtItsDelay) {
  worker_.ScheduleMany("one.com", 200);
  worker_.Settle();
  const WallTime start = worker_.clock().Wall();
  const auto sent = Drain(200);
  ASSERT_EQ(sent.size(), 200u);
  EXPECT_LE(sent.back().time - start, seconds(200) + worker_.feed().interval * 30);
}

TEST_F(DequeuerTest, ABlockedDomainWaitsAndAnOperatorCanLiftIt) {
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/")},
                   DomainUpdate{.blocked_until = worker_.clock().Wall() + hours(1)});
  worker_.ScheduleMany("two.com", 1);
  worker_.Settle();
  EXPECT_EQ(Drain(2, 50).front().domain, "two.com");
  EXPECT_EQ(worker_.core().Report().front().blocked, 1u);
  worker_.Schedule("one.com", {}, DomainUpdate{.blocked_until = WallTime()});
  worker_.Settle();
  EXPECT_EQ(Drain(1, 3).front().domain, "one.com");
  // And block it again, for good.
  const WallTime until = worker_.clock().Wall() + hours(2);
  worker_.Schedule("one.com", {}, DomainUpdate{.blocked_until = until});
  worker_.Settle();
  worker_.Restart();
  worker_.Settle();
  EXPECT_EQ(worker_.core().Inspect("one.com")->blocked_until, until);
  EXPECT_EQ(worker_.core().Inspect("nobody.com").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(DequeuerTest, APausedPartitionSendsNothingUntilItIsResumed) {
  worker_.ScheduleMany("one.com", 1);
  worker_.Settle();
  ASSERT_TRUE(worker_.core().SetPaused(PartitionId(0), true));
  EXPECT_FALSE(worker_.core().SetPaused(PartitionId(9), true));
  EXPECT_THAT(Drain(1, 20), IsEmpty());
  worker_.core().SetPaused(PartitionId(0), false);
  EXPECT_EQ(Drain(1, 3).size(), 1u);
}

TEST_F(DequeuerTest, ADeadSpidersPartitionStandsStillAndTheOthersGoOn) {
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

TEST_F(DequeuerTest, NothingLeavesWhileStrategyWorkersAreFarBehind) {
  WithoutDelays();
  worker_.feed().max_backlog = 2;
  worker_.ScheduleMany("one.com", 10);
  worker_.Settle();
  const PartitionId only(0);
  const auto producer = *worker_.bus().NewProducer({}, [](const Ack&) {});
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(producer->Send({kSpiderLogTopic, only, "one.com", "a page", {}}, 0));
  }
  ASSERT_OK(producer->Flush(std::chrono::minutes(1)));
  for (int i = 0; i < 5; ++i) {
    worker_.clock().Advance(std::chrono::seconds(1));
    worker_.CommitFeed();
    worker_.StepOnce();
  }
  EXPECT_TRUE(worker_.NewInFeed().empty());
  EXPECT_EQ(worker_.core().Report().front().backlog, 3);

  worker_.Commit(kStrategyWorkerGroup, kSpiderLogTopic, only, Offset(1));
  worker_.clock().Advance(std::chrono::seconds(1));
  EXPECT_EQ(Drain(10).size(), 10u);
}

TEST_F(DequeuerTest, ALogThatWasCutUnderTheSpidersIsReported) {
  WithoutDelays();
  worker_.ScheduleMany("one.com", 40);
  worker_.Settle();
  const auto sent = Drain(40);
  worker_.CommitFeed(PartitionId(0), Offset(5));
  ASSERT_TRUE(worker_.broker().CutLog(kSpiderFeedTopic, PartitionId(0), Offset(25)).ok());
  worker_.clock().Advance(seconds(1));
  worker_.StepOnce();
  EXPECT_EQ(worker_.core().Report().front().lag_state, LagState::kLogCut);
  EXPECT_EQ(worker_.metrics().feed_lost.value(), 20u);
}

TEST_F(DequeuerTest, WithNothingReadyTheFeedIsLookedAtOnceASecondOnly) {
  WithoutDelays();
  worker_.ScheduleMany("one.com", 3);
  worker_.Settle();
  ASSERT_EQ(Drain(3).size(), 3u);
  worker_.clock().Advance(seconds(1));
  worker_.StepOnce();
  const auto lag = [this] { return worker_.core().Report().front().lag; };
  const int64_t before = lag();
  worker_.CommitFeed();
  const WallTime start = worker_.clock().Wall();
  while (worker_.clock().Wall() + worker_.feed().interval < start + seconds(1)) {
    worker_.StepOnce();
    ASSERT_EQ(lag(), before);
  }
  worker_.StepOnce();
  worker_.StepOnce();
  EXPECT_LT(lag(), before);
  // And it has no part in when a new request leaves.
  worker_.ScheduleMany("two.com", 1);
  worker_.StepOnce();
  EXPECT_EQ(worker_.NewInFeed().size(), 1u);
}

// More domains than a step opens: no message comes that would wake the worker for the others.
TEST_F(DequeuerTest, RequestsOfManyDomainsThatComeDueTogetherLeaveOneStepAfterTheOther) {
  WithoutDelays();
  worker_.Settle();
  const WallTime due = worker_.clock().Wall() + seconds(5);
  constexpr size_t kDomains = 1200;
  for (size_t i = 0; i < kDomains; ++i) {
    worker_.ScheduleMany("d" + std::to_string(i) + ".com", 1, 0.5, due);
  }
  worker_.Settle();
  worker_.clock().Advance(due + seconds(1) - worker_.clock().Wall());
  std::vector<DbWorkerHarness::Sent> sent;
  while (sent.size() < kDomains && worker_.clock().Wall() < due + hours(1)) {
    worker_.CommitFeed();
    ASSERT_OK(worker_.core().Step(seconds(1)));
    for (auto& one : worker_.NewInFeed()) sent.push_back(std::move(one));
  }
  ASSERT_EQ(sent.size(), kDomains);
  EXPECT_LE(sent.back().time - sent.front().time, worker_.feed().interval * 5);
}

}  // namespace
}  // namespace orbweaver
