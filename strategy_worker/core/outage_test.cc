// The core when store or broker are away, when the log was cut or topics were made anew.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/metrics/stage_clock.h"
#include "common/protocol/owned_log.h"
#include "common/protocol/version_sequence.h"
#include "common/runtime/step_loop.h"
#include "common/store/memory/memory_store.h"
#include "common/url/partition.h"
#include "strategy_worker/core/strategy_core.h"
#include "strategy_worker/states/domain_record.h"
#include "strategy_worker/states/shard.h"
#include "tests/support/expect_ok.h"
#include "tests/support/strategy_core_fixture.h"
#include "tests/support/strategy_world.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using Call = ScriptedStrategy::Call;

// As a thread that has not come to it when the core waits: the time of the write is the wait's.
class LateWrite : public BackgroundWrite {
 public:
  void Start(std::function<absl::Status()> write) override { write_ = std::move(write); }
  absl::Status Await() override {
    const auto write = std::exchange(write_, nullptr);
    return write ? write() : absl::OkStatus();
  }

 private:
  std::function<absl::Status()> write_;
};

class OutageTest : public StrategyCoreTest {
 protected:
  // As the owner of that epoch leaves the domain.
  void PutRecord(Offset epoch) {
    const std::string value = EncodeDomainRecord({.scheduled = 7});
    const CellPut cell{kRecordColumn, value};
    const std::string row = ShardRow(DomainRow(kDomain), 0);
    const RowPut put{row, *VersionSequence::Create(1, epoch)->Next(), {&cell, 1}};
    std::vector<uint32_t> remaining;
    ASSERT_OK(world_.store.Write(Table::kDomains, {&put, 1}, kLong, &remaining));
  }
};

TEST_F(OutageTest, AStoreThatIsAwayStopsNothingButTime) {
  int asked = 0;
  strategy_.on_event = [&asked](Call call) {
    ++asked;
    call.decisions[0].action = ORBWEAVER_SCHEDULE;
    return absl::OkStatus();
  };
  ASSERT_OK(Run());
  AppendLinks({kUrl});
  ASSERT_OK(core_->Step(Duration::zero()));  // applied, and written
  AppendLinks({kUrl + "2"});
  world_.tables.SetAvailable(false);
  ASSERT_OK(core_->Step(Duration::zero()));  // the first batch is out; the second one's write fails
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(IsRetry(core_->Step(Duration::zero()).status()));
    world_.clock.Advance(std::chrono::seconds(20));
  }
  world_.tables.SetAvailable(true);
  ASSERT_OK(world_.RunUntilIdle(*core_));
  EXPECT_EQ(asked, 2);
  EXPECT_THAT(world_.ReadRequests(), SizeIs(2));
  EXPECT_EQ(Committed(), Offset(2));
}

TEST_F(OutageTest, TimeOfTheStoreAndTheBusIsNoWorkOfTheWorkers) {
  constexpr Duration kCall = std::chrono::milliseconds(100);
  MemoryStore store(&world_.tables,
                    {.virtual_time = &world_.clock, .faults = {.min_latency = kCall}});
  MemoryBus bus(&world_.broker, {.faults = {.max_ack_delay = kCall, .max_latency = kCall}});
  LateWrite background;
  AppendLinks({kUrl});
  StrategyWorld::Worker worker;
  worker.bus = &bus;
  worker.store = &store;
  worker.background = &background;
  core_ = world_.NewCore(strategy_, std::move(worker));
  ASSERT_OK(world_.RunUntilIdle(*core_));
  const StageTimes stage(world_.metrics, "strategy");
  // The record of the topics, the domain's row twice, markers and witnesses.
  EXPECT_GT(stage.waits_for_output.value(), 0.5);
  EXPECT_EQ(stage.busy.value(), 0) << "the clock stands still while the worker works";
  core_.reset();
}

TEST_F(OutageTest, ABrokerThatIsAwayDelaysTheCommitAndNothingIsSentTwice) {
  ASSERT_OK(Run());
  AppendLinks({kUrl});
  ASSERT_OK(core_->Step(Duration::zero()));
  world_.broker.SetAvailable(false);
  EXPECT_TRUE(IsRetry(core_->Step(Duration::zero()).status()));
  EXPECT_TRUE(IsRetry(core_->Step(Duration::zero()).status()));
  world_.broker.SetAvailable(true);
  ASSERT_OK(world_.RunUntilIdle(*core_));
  EXPECT_EQ(world_.EndOf(kScoringLogTopic, kOnly), Offset(2));
  EXPECT_EQ(Committed(), Offset(1));
}

TEST_F(OutageTest, ABrokerThatIsAwayForTenMinutesMakesTheWorkerBeginAnewAndNothingIsSentTwice) {
  ASSERT_OK(Run());
  AppendLinks({kUrl});
  ASSERT_OK(core_->Step(Duration::zero()));
  world_.broker.SetAvailable(false);
  CoreFate fate = CoreFate::kWaits;
  const SteadyTime back_at = world_.clock.Now() + std::chrono::minutes(10);
  while (world_.clock.Now() < back_at && fate == CoreFate::kWaits) {
    fate = FateAfter(core_->Step(Duration::zero()).status());
    world_.clock.Advance(std::chrono::seconds(5));
  }
  EXPECT_EQ(fate, CoreFate::kIsMadeAnew);
  world_.clock.Advance(back_at - world_.clock.Now());
  core_.reset();
  world_.broker.SetAvailable(true);
  ASSERT_OK(Run());
  EXPECT_THAT(world_.ReadRequests(), SizeIs(1));
  EXPECT_EQ(Committed(), Offset(1));
}

TEST_F(OutageTest, WhatWasAppliedIsCommittedBeforeThePartitionGoes) {
  ASSERT_OK(Run());
  AppendLinks({kUrl});
  ASSERT_OK(core_->Step(Duration::zero()));
  ASSERT_OK(core_->Stop());
  EXPECT_EQ(Committed(), Offset(1));
  EXPECT_THAT(world_.ReadRequests(), SizeIs(1));
}

TEST_F(OutageTest, ACutLogStopsTheWorkerAndSaysWhatWasLost) {
  for (int i = 0; i < 5; ++i) AppendLinks({kUrl});
  StrategyWorld::Worker worker;
  const auto core = world_.NewCore(strategy_, std::move(worker));
  ASSERT_OK(core->Step(Duration::zero()));  // assigned at offset 0
  ASSERT_OK(world_.broker.CutLog(kSpiderLogTopic, kOnly, Offset(3)));
  const absl::Status status = world_.RunUntilIdle(*core);
  EXPECT_TRUE(IsFatal(status)) << status;
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("3 entries from offset 0"));
}

TEST_F(OutageTest, ACutLogIsContinuedBehindTheCutWhereThatIsConfigured) {
  for (int i = 0; i < 5; ++i) AppendLinks({kUrl + std::to_string(i)});
  StrategyWorld::Worker worker;
  worker.on_cut_log = OnCutLog::kContinue;
  const auto core = world_.NewCore(strategy_, std::move(worker));
  ASSERT_OK(core->Step(Duration::zero()));
  ASSERT_OK(world_.broker.CutLog(kSpiderLogTopic, kOnly, Offset(3)));
  ASSERT_OK(world_.RunUntilIdle(*core));
  EXPECT_THAT(world_.ReadRequests(), SizeIs(2));
  EXPECT_THAT(world_.metrics.Text(), HasSubstr("orbweaver_strategy_lost_events_total 3"));
  EXPECT_EQ(Committed(), Offset(5));
}

TEST_F(OutageTest, TopicsMadeAnewUnderTheRowsAreNoticed) {
  for (int i = 0; i < 3; ++i) AppendLinks({kUrl + std::to_string(i)});
  ASSERT_OK(Run());
  // The same rows, and a spider log that begins anew.
  StrategyWorld other;
  const Link link{.url = kUrl};
  other.Append({.domain = kDomain,
                .event = LinksFound{.source = {.url = "https://b.test/"}, .links = {&link, 1}}});
  StrategyWorld::Worker worker;
  worker.store = &world_.store;
  const auto core = other.NewCore(strategy_, std::move(worker));
  const absl::Status status = other.RunUntilIdle(*core);
  EXPECT_TRUE(IsFatal(status)) << status;
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("orbweaver init"));
}

TEST_F(OutageTest, LogsMadeAnewAreNotTakenOverHoweverFarTheyHaveGrown) {
  for (int i = 0; i < 3; ++i) AppendLinks({kUrl + std::to_string(i)});
  ASSERT_OK(Run());
  core_.reset();
  world_.clock.Advance(std::chrono::minutes(1));
  ASSERT_OK(world_.broker.MakeAnew(kSpiderLogTopic));
  for (int i = 0; i < 5; ++i) AppendLinks({kUrl + std::to_string(i)});
  const Offset markers = world_.EndOf(kScoringLogTopic, kOnly);
  const absl::Status status = Run();
  EXPECT_EQ(FateAfter(status), CoreFate::kEndsTheProcess) << status;
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("'spider-log' partition 0"));
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("orbweaver init --accept-new-topics"));
  EXPECT_EQ(world_.EndOf(kScoringLogTopic, kOnly), markers) << "a marker was written";
}

TEST_F(OutageTest, ARowAboveTheOwnersVersionsEndsTheWorkerWhenNobodyCameLater) {
  PutRecord(Offset(500));
  AppendLinks({kUrl});
  const absl::Status status = Run();
  EXPECT_EQ(FateAfter(status), CoreFate::kEndsTheProcess) << status;
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("'a.test': its record has version"));
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("orbweaver init --accept-new-topics"));
  EXPECT_THAT(world_.ReadRequests(), SizeIs(0));
}

TEST_F(OutageTest, ARowOfALaterOwnerMakesTheWorkerBeginAnew) {
  ASSERT_OK(Run());
  auto log = OwnedLog::Create(world_.bus, world_.clock,
                              {.topic = std::string(kScoringLogTopic), .owner = "later"});
  ASSERT_OK(log);
  const auto epoch = (*log)->TakeOver(kOnly, kLong);
  ASSERT_OK(epoch);
  PutRecord(*epoch);
  AppendLinks({kUrl});
  const absl::Status status = world_.RunUntilIdle(*core_);
  EXPECT_EQ(FateAfter(status), CoreFate::kIsMadeAnew) << status;
}

TEST_F(OutageTest, TopicsMadeAnewSinceTheStartAreNotTakenOver) {
  AppendLinks({kUrl});
  ASSERT_OK(SaveTopicRecord(world_.store, {.topic_epoch = 2, .partitions = 1}, kLong));
  EXPECT_TRUE(IsFatal(Run()));
  EXPECT_EQ(world_.EndOf(kScoringLogTopic, kOnly), Offset(0));
}

}  // namespace
}  // namespace orbweaver
