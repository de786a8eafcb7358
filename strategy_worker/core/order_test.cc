// An operator's orders about a domain: carried out in the states, passed on, the strategy not
// asked.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "strategy_worker/core/strategy_core.h"
#include "tests/support/expect_ok.h"
#include "tests/support/strategy_core_fixture.h"
#include "tests/support/strategy_world.h"

namespace orbweaver {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class OrderTest : public StrategyCoreTest {
 protected:
  void Append(const DomainOrder& order) { world_.Append({.domain = kDomain, .event = order}); }
  LinkStatus StatusOf(const std::string& url) { return world_.StateOf(kDomain, url)->status; }
};

TEST_F(OrderTest, ABlockAndItsEndArePassedOnAndTheStrategyIsNotAsked) {
  strategy_.on_event = [](ScriptedStrategy::Call) -> absl::Status {
    return PoisonError("was asked");
  };
  const WallTime until{std::chrono::milliseconds(1'700'000'000'000)};
  Append({.blocked_until = until});
  Append({.blocked_until = WallTime()});
  Append({});
  ASSERT_OK(Run());
  const auto read = world_.ReadScoringLog();
  ASSERT_THAT(read, SizeIs(2));
  EXPECT_EQ(read[0].update->blocked_until, until);
  EXPECT_FALSE(read[0].update->purge);
  EXPECT_EQ(read[1].update->blocked_until, WallTime());
  EXPECT_EQ(read[1].source_offset, Offset(1));
  EXPECT_THAT(world_.DeadLetterCauses(), IsEmpty());
  EXPECT_EQ(Committed(), Offset(3));
}

TEST_F(OrderTest, APurgedUrlIsQueuedNoMoreAndMayBeScheduledAgain) {
  world_.Append(
      {.domain = kDomain, .event = PageFetched{.request = RequestOf(kUrl + "3"), .status = 200}});
  AppendLinks({kUrl, kUrl + "2", kUrl + "3"});
  Append({.purge = true});
  AppendLinks({kUrl + "2"});
  ASSERT_OK(Run());
  EXPECT_EQ(StatusOf(kUrl), LinkStatus::kNotCrawled);
  EXPECT_EQ(StatusOf(kUrl + "2"), LinkStatus::kQueued);
  EXPECT_EQ(StatusOf(kUrl + "3"), LinkStatus::kCrawled);
  const auto read = world_.ReadScoringLog();
  ASSERT_GE(read.size(), 3u);
  EXPECT_TRUE(read[read.size() - 2].update->purge);
  ASSERT_THAT(read.back().requests, SizeIs(1));
  EXPECT_EQ(read.back().requests[0].url, kUrl + "2");
  EXPECT_EQ(read.back().requests[0].action, ScheduleAction::kAdd) << "it does not wait any more";
}

TEST_F(OrderTest, APurgeThatIsReadAgainPurgesNothingThatCameAfterIt) {
  AppendLinks({kUrl});
  Append({.purge = true});
  AppendLinks({kUrl});
  ASSERT_OK(Run());
  const size_t sent = world_.ReadScoringLog().size();
  ASSERT_OK(BeginAnew());
  ASSERT_OK(Run());
  EXPECT_EQ(world_.ReadScoringLog().size(), sent);
  EXPECT_EQ(StatusOf(kUrl), LinkStatus::kQueued);
}

TEST_F(OrderTest, AForgottenDomainIsAsNeverSeenAndSaysSoToTheQueueOnce) {
  world_.Append(
      {.domain = kDomain, .event = PageFetched{.request = RequestOf(kUrl + "3"), .status = 200}});
  AppendLinks({kUrl, kUrl + "2", kUrl + "3"});
  Append({.forget = true});
  AppendLinks({kUrl + "2"});
  ASSERT_OK(Run());
  EXPECT_FALSE(world_.StateOf(kDomain, kUrl).has_value());
  EXPECT_FALSE(world_.StateOf(kDomain, kUrl + "3").has_value());
  EXPECT_EQ(StatusOf(kUrl + "2"), LinkStatus::kQueued);
  const DomainRecord record = world_.RecordOf(kDomain).value();
  EXPECT_EQ(record.known_urls, 1u);
  EXPECT_EQ(record.scheduled, 1u);
  EXPECT_EQ(record.fetched, 0u);
  EXPECT_EQ(record.applied.offset, Offset(3));
  const auto read = world_.ReadScoringLog();
  ASSERT_THAT(read, SizeIs(4));
  EXPECT_TRUE(read[2].update->purge);
  EXPECT_EQ(read[2].update->blocked_until, WallTime());
  EXPECT_EQ(read[2].update->crawl_delay, std::chrono::milliseconds(0));
  ASSERT_THAT(read[3].requests, SizeIs(1));
  EXPECT_EQ(read[3].requests[0].url, kUrl + "2");
}

TEST_F(OrderTest, WhatASpiderHandsBackAfterAPurgeIsQueuedAsItsStateSays) {
  AppendLinks({kUrl});
  Append({.purge = true});
  world_.Append({.domain = kDomain, .event = Deferred{.request = RequestOf(kUrl)}});
  ASSERT_OK(Run());
  ASSERT_THAT(world_.ReadScoringLog().back().requests, SizeIs(1));
  EXPECT_EQ(StatusOf(kUrl), LinkStatus::kQueued);
}

}  // namespace
}  // namespace orbweaver
