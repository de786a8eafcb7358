// Failed URLs: kept by name, put by when the failure is our own, and tried again when somebody asks
// for it.
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/protocol/failed_url_rows.h"
#include "strategy_worker/core/event_view.h"
#include "tests/support/expect_ok.h"
#include "tests/support/strategy_core_fixture.h"
#include "tests/support/strategy_world.h"

namespace orbweaver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class FailedUrlsTest : public StrategyCoreTest {
 protected:
  void Fail(const std::string& url, FailureCause cause, uint32_t attempt = 0) {
    Request request = RequestOf(url);
    request.attempt = attempt;
    world_.Append({.domain = kDomain, .event = FetchFailed{.request = request, .cause = cause}});
  }
  void AppendSeeds(const std::vector<std::string>& urls, bool only_failed = false) {
    std::vector<Seed> seeds;
    for (const std::string& url : urls) seeds.push_back({.url = url, .score = 0.75f});
    world_.Append({.domain = kDomain, .event = Seeds{.seeds = seeds, .only_failed = only_failed}});
  }
  LinkState StateOf(const std::string& url) { return world_.StateOf(kDomain, url).value(); }
  // Leaves all alone but what it sees as never scheduled.
  void ScheduleNewOnly() {
    strategy_.on_event = [](ScriptedStrategy::Call call) {
      for (size_t i = 0; i < call.links.size(); ++i) {
        if (call.states[i].known != 0 && call.states[i].status != ORBWEAVER_NOT_CRAWLED) continue;
        call.decisions[i].action = ORBWEAVER_SCHEDULE;
        call.decisions[i].score = 0.5;
      }
      return absl::OkStatus();
    };
  }
  // URL and cause of the kept failures.
  std::map<std::string, FailureCause> Kept() {
    std::map<std::string, FailureCause> kept;
    const std::string begin = FailedUrlsBegin(kDomain), end = FailedUrlsEnd(kDomain);
    EXPECT_OK(world_.store.Scan(kFailedUrlTable,
                                {.begin = begin, .end = end, .columns = {&kFailedUrlColumn, 1}},
                                kLong, [&](std::string_view, std::span<const Cell> cells) {
                                  if (cells[0].value.empty()) return true;
                                  Arena arena;
                                  SpiderLogEntry entry;
                                  EXPECT_OK(Decode(cells[0].value, &arena, &entry));
                                  const auto& failed = std::get<FetchFailed>(entry.event);
                                  kept.emplace(failed.request.url, failed.cause);
                                  return true;
                                }));
    return kept;
  }
};

TEST_F(FailedUrlsTest, OnlyFailuresOfOurOwnOptionsAndWayAreOfOurOwn) {
  for (int i = 0; i <= static_cast<int>(FailureCause::kHttpOther); ++i) {
    const auto cause = static_cast<FailureCause>(i);
    EXPECT_EQ(IsOfOurOwn(cause), cause == FailureCause::kPort || cause == FailureCause::kProxy ||
                                     cause == FailureCause::kPrivateAddress)
        << i;
  }
}

TEST_F(FailedUrlsTest, AFailureOfOurOwnPutsTheUrlByWithoutAskingTheStrategyOrUsingUpATry) {
  AppendLinks({kUrl});
  ASSERT_OK(Run());
  strategy_.on_event = [](ScriptedStrategy::Call) -> absl::Status {
    return PoisonError("was asked");
  };
  for (const FailureCause cause :
       {FailureCause::kPort, FailureCause::kPrivateAddress, FailureCause::kProxy}) {
    Fail(kUrl, cause);
    ASSERT_OK(Run());
    EXPECT_EQ(StateOf(kUrl).status, LinkStatus::kError) << "not gone";
    EXPECT_EQ(StateOf(kUrl).errors, 0u);
    EXPECT_THAT(Kept(), ElementsAre(Pair(kUrl, cause)));
  }
  EXPECT_EQ(world_.RecordOf(kDomain)->failed, 0u);
  EXPECT_THAT(world_.DeadLetterCauses(), IsEmpty());
  EXPECT_THAT(world_.ReadRequests(), SizeIs(1));
}

TEST_F(FailedUrlsTest, AFailureIsKeptOnceNoTryIsLeftAndTheLastOneCounts) {
  Fail(kUrl, FailureCause::kRefused);  // scheduled again by the strategy
  ASSERT_OK(Run());
  EXPECT_EQ(StateOf(kUrl).status, LinkStatus::kQueued);
  EXPECT_THAT(Kept(), IsEmpty());
  strategy_.on_event = nullptr;
  Fail(kUrl, FailureCause::kReset, 1);
  ASSERT_OK(Run());
  EXPECT_THAT(Kept(), ElementsAre(Pair(kUrl, FailureCause::kReset)));
  Fail(kUrl, FailureCause::kDns, 1);
  ASSERT_OK(Run());
  EXPECT_EQ(StateOf(kUrl).status, LinkStatus::kGone);
  EXPECT_THAT(Kept(), ElementsAre(Pair(kUrl, FailureCause::kDns)));
}

TEST_F(FailedUrlsTest, ASeedThatFailedBeforeIsTriedAgainWhateverItsState) {
  ScheduleNewOnly();
  Fail(kUrl, FailureCause::kDns);         // gone
  Fail(kUrl + "2", FailureCause::kPort);  // put by
  world_.Append(
      {.domain = kDomain, .event = PageFetched{.request = RequestOf(kUrl + "3"), .status = 200}});
  AppendLinks({kUrl + "4"});
  AppendSeeds({kUrl, kUrl + "2", kUrl + "3", kUrl + "4", kUrl + "5"});
  ASSERT_OK(Run());
  const auto requests = world_.ReadRequests();
  ASSERT_THAT(requests, SizeIs(4));
  EXPECT_EQ(requests[0].url, kUrl + "4") << "by the link";
  EXPECT_EQ(requests[1].url, kUrl);
  EXPECT_EQ(requests[1].attempt, 0u);
  EXPECT_EQ(requests[1].depth, 2u) << "its own";
  EXPECT_EQ(requests[2].url, kUrl + "2");
  EXPECT_EQ(requests[3].url, kUrl + "5");
  EXPECT_EQ(StateOf(kUrl).status, LinkStatus::kQueued);
  EXPECT_EQ(StateOf(kUrl).errors, 0u);
  EXPECT_EQ(StateOf(kUrl + "3").status, LinkStatus::kCrawled);
  EXPECT_THAT(Kept(), IsEmpty()) << "it is not failed while it waits";
}

TEST_F(FailedUrlsTest, ASeedThatTheStrategyDoesNotWantStaysAsItWas) {
  strategy_.on_event = nullptr;
  Fail(kUrl, FailureCause::kDns);
  AppendSeeds({kUrl});
  ASSERT_OK(Run());
  EXPECT_EQ(StateOf(kUrl).status, LinkStatus::kGone);
  EXPECT_EQ(StateOf(kUrl).errors, 1u);
}

TEST_F(FailedUrlsTest, WhatIsRequeuedAndHasNotFailedIsLeftAlone) {
  ScheduleNewOnly();
  Fail(kUrl, FailureCause::kDns);
  AppendSeeds({kUrl, kUrl + "2"}, /*only_failed=*/true);
  AppendSeeds({kUrl}, /*only_failed=*/true);
  ASSERT_OK(Run());
  ASSERT_THAT(world_.ReadRequests(), SizeIs(1));
  EXPECT_EQ(world_.ReadRequests()[0].url, kUrl);
  EXPECT_FALSE(world_.StateOf(kDomain, kUrl + "2").has_value());
}

}  // namespace
}  // namespace orbweaver
