// An operator's orders about one URL, in each state that it may have: raise and reschedule.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/exploration.h"
#include "common/model/own_request.h"
#include "strategy_worker/core/strategy_core.h"
#include "tests/support/expect_ok.h"
#include "tests/support/strategy_core_fixture.h"
#include "tests/support/strategy_world.h"

namespace orbweaver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kIdle = "orbweaver_strategy_idle_orders_total";
const WallTime kLater{std::chrono::milliseconds(1'800'000'000'000)};

class UrlOrderTest : public StrategyCoreTest {
 protected:
  UrlOrderTest() {
    const auto asked = strategy_.on_event;
    strategy_.on_event = [asked](ScriptedStrategy::Call call) {
      // Links are scheduled, outcomes let be.
      return call.event.kind == ORBWEAVER_LINKS || call.event.kind == ORBWEAVER_SEEDS
                 ? asked(call)
                 : absl::OkStatus();
    };
  }

  static UrlOrder Raise(std::string_view url = kUrl) { return {.url = url, .score = 1}; }
  static UrlOrder Reschedule(std::string_view url = kUrl, WallTime not_before = {}) {
    return {.url = url, .score = 1, .fetch_again = true, .not_before = not_before};
  }
  void Append(const UrlOrder& order) { world_.Append({.domain = kDomain, .event = order}); }
  void AppendFetched() {
    world_.Append(
        {.domain = kDomain,
         .event = PageFetched{.request = RequestOf(kUrl), .status = 200, .etag = "\"e\""}});
  }
  void AppendFailed(FailureCause cause, uint32_t status = 0, uint32_t attempt = 0) {
    Request request = RequestOf(kUrl);
    request.attempt = attempt;
    world_.Append({.domain = kDomain,
                   .event = FetchFailed{.request = request, .cause = cause, .status = status}});
  }
  // The messages of the scoring log beyond the first `sent`.
  std::vector<ReadSchedule> Since(size_t sent) {
    auto read = world_.ReadScoringLog();
    read.erase(read.begin(), read.begin() + static_cast<ptrdiff_t>(std::min(sent, read.size())));
    return read;
  }
  LinkState State() { return world_.StateOf(kDomain, kUrl).value(); }
  // Orders that changed nothing are counted.
  std::string Idle() {
    const std::string text = world_.metrics.Text();
    const size_t begin = text.find("\n" + std::string(kIdle) + " ") + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
  }
  static std::string IdleOf(int count) { return std::string(kIdle) + " " + std::to_string(count); }
};

TEST_F(UrlOrderTest, AQueuedUrlIsRaisedAndNeverAddedBySuchAnOrder) {
  AppendLinks({kUrl});
  Append(Raise());
  Append(Reschedule());
  ASSERT_OK(Run());
  const auto sent = Since(1);
  ASSERT_THAT(sent, SizeIs(2));
  for (const auto& schedule : sent) {
    ASSERT_THAT(schedule.requests, SizeIs(1));
    EXPECT_EQ(schedule.requests[0].action, ScheduleAction::kRaise);
    EXPECT_EQ(schedule.requests[0].url, kUrl);
    EXPECT_EQ(schedule.requests[0].score, 1);
    EXPECT_EQ(schedule.requests[0].depth, 4u);
  }
  EXPECT_EQ(world_.RecordOf(kDomain)->scheduled, 1u) << "a raise schedules nothing";
  EXPECT_EQ(Idle(), IdleOf(0));
}

TEST_F(UrlOrderTest, ARaiseOfAUrlThatDoesNotWaitChangesNothingAndIsCounted) {
  Append(Raise());
  AppendFetched();
  Append(Raise());
  AppendFailed(FailureCause::kHttp4xx, 404, 1);
  Append(Raise());
  AppendFailed(FailureCause::kTimeoutTotal, 0, 1);
  Append(Raise());
  AppendLinks({kUrl});
  world_.Append({.domain = kDomain, .event = DomainOrder{.purge = true}});
  Append(Raise());
  ASSERT_OK(Run());
  for (const ReadRequest& request : world_.ReadRequests()) {
    EXPECT_EQ(request.action, ScheduleAction::kAdd);
    EXPECT_EQ(request.source_offset, Offset(7)) << "the link's";
  }
  EXPECT_EQ(Idle(), IdleOf(5));
  EXPECT_EQ(State().status, LinkStatus::kCrawled);
}

TEST_F(UrlOrderTest, AUrlThatWasFetchedIsFetchedAgainWithItsValidatorsAndOnlyOnce) {
  strategy_.on_event = {};
  AppendFetched();
  Append(Reschedule());
  Append(Reschedule());
  ASSERT_OK(Run());
  const auto requests = world_.ReadRequests();
  ASSERT_THAT(requests, SizeIs(2));
  EXPECT_EQ(requests[0].action, ScheduleAction::kAdd);
  EXPECT_EQ(requests[0].etag, "\"e\"");
  EXPECT_EQ(requests[0].depth, 2u);
  EXPECT_EQ(requests[0].attempt, 0u);
  EXPECT_EQ(requests[1].action, ScheduleAction::kRaise) << "it is queued by now";
  EXPECT_EQ(State().status, LinkStatus::kQueued);
  EXPECT_EQ(world_.RecordOf(kDomain)->scheduled, 1u);
}

TEST_F(UrlOrderTest, AUrlThatFailedOrIsGoneStartsAnewAtTheTimeThatTheOrderSays) {
  strategy_.on_event = {};
  for (const auto& [cause, status] : {std::pair(FailureCause::kTimeoutTotal, LinkStatus::kError),
                                      std::pair(FailureCause::kDns, LinkStatus::kGone)}) {
    AppendFailed(cause);
    ASSERT_OK(Run());
    EXPECT_EQ(State().status, status);
    const size_t sent = world_.ReadScoringLog().size();
    Append(Reschedule(kUrl, kLater));
    ASSERT_OK(Run());
    const auto schedules = Since(sent);
    ASSERT_THAT(schedules, SizeIs(1));
    ASSERT_THAT(schedules[0].requests, SizeIs(1));
    EXPECT_EQ(schedules[0].requests[0].action, ScheduleAction::kAdd);
    EXPECT_EQ(schedules[0].requests[0].attempt, 0u);
    EXPECT_EQ(schedules[0].requests[0].not_before_ms, kLater.time_since_epoch().count());
    EXPECT_EQ(State().status, LinkStatus::kQueued);
    EXPECT_EQ(State().errors, 0u) << "its next failure would count as a repeated one";
  }
}

TEST_F(UrlOrderTest, AUrlThatIsKnownAndWasNeverScheduledIsFetched) {
  strategy_.on_event = [](ScriptedStrategy::Call call) {
    for (orbweaver_decision& decision : call.decisions) decision.set_due = 1;
    return absl::OkStatus();
  };
  AppendLinks({kUrl});
  Append(Reschedule());
  ASSERT_OK(Run());
  ASSERT_THAT(world_.ReadRequests(), SizeIs(1));
  EXPECT_EQ(State().status, LinkStatus::kQueued);
}

TEST_F(UrlOrderTest, AUrlThatNobodyHeardOfStaysSo) {
  Append(Reschedule());
  ASSERT_OK(Run());
  EXPECT_THAT(world_.ReadScoringLog(), IsEmpty());
  EXPECT_FALSE(world_.StateOf(kDomain, kUrl).has_value());
  EXPECT_EQ(Idle(), IdleOf(1));
  EXPECT_EQ(Committed(), Offset(1));
}

TEST_F(UrlOrderTest, AQueuedUrlIsNotPutOffSinceItMayHaveLeftTheQueue) {
  AppendLinks({kUrl});
  Append(Reschedule(kUrl, kLater));
  ASSERT_OK(Run());
  EXPECT_THAT(Since(1), IsEmpty());
  EXPECT_EQ(Idle(), IdleOf(1));
}

TEST_F(UrlOrderTest, AnOrderThatIsReadAgainSchedulesNothingMore) {
  AppendFetched();
  Append(Reschedule());
  AppendFetched();
  ASSERT_OK(Run());
  const size_t sent = world_.ReadScoringLog().size();
  EXPECT_EQ(State().status, LinkStatus::kCrawled);
  ASSERT_OK(BeginAnew());
  ASSERT_OK(Run());
  EXPECT_EQ(world_.ReadScoringLog().size(), sent);
  EXPECT_EQ(State().status, LinkStatus::kCrawled);
  EXPECT_EQ(world_.RecordOf(kDomain)->scheduled, 1u);
}

TEST_F(UrlOrderTest, TheRequestKeepsWhatTheOrderSaysOfIt) {
  options_.keep_referrers = true;
  options_.explore = 0.5;
  const ExplorationText drawn = TextOf(Exploration{.probability = 0.5, .score = 0.25});
  const std::vector<Meta> meta = {{.key = "job", .value = "news"},
                                  {.key = kExploreKey, .value = drawn.probability},
                                  {.key = kOwnScoreKey, .value = drawn.score}};
  AppendLinks({kUrl});
  UrlOrder order = Raise();
  order.meta = meta;
  order.referrer = "https://b.test/";
  Append(order);
  AppendFetched();
  order.fetch_again = true;
  Append(order);
  ASSERT_OK(Run());
  const auto sent = Since(1);
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_THAT(sent[0].requests[0].meta, SizeIs(3)) << "drawn by lot, and it is the same request";
  EXPECT_THAT(sent[1].requests[0].meta, ElementsAre(testing::Pair("job", "news")));
  EXPECT_EQ(sent[1].requests[0].referrer, "https://b.test/");
}

TEST_F(UrlOrderTest, NoStrategyIsAskedAndItsFilterNeither) {
  AppendFetched();
  ASSERT_OK(Run());
  strategy_.on_event = [](ScriptedStrategy::Call) -> absl::Status { return PoisonError("asked"); };
  strategy_.filter = [](const orbweaver_event&, std::span<const orbweaver_link>,
                        std::span<uint8_t>) -> absl::Status { return PoisonError("asked"); };
  Append(Reschedule());
  Append(Raise());
  ASSERT_OK(Run());
  EXPECT_THAT(world_.DeadLetterCauses(), IsEmpty());
  EXPECT_THAT(world_.ReadRequests(), SizeIs(2));
}

TEST_F(UrlOrderTest, AnOrderAboutAUrlOfAnotherDomainIsADeadLetter) {
  Append(Raise("https://b.test/"));
  Append(Raise("mailto:x"));
  ASSERT_OK(Run());
  EXPECT_THAT(world_.DeadLetterCauses(),
              ElementsAre(HasSubstr("order about 'https://b.test/': no URL of domain 'a.test'"),
                          HasSubstr("order about 'mailto:x'")));
}

}  // namespace
}  // namespace orbweaver
