// Orders about a URL: what they say before they are given, by its state, and what they lead to.
#include "cli/orders/url_plan.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/url/fingerprint.h"
#include "common/url/partition.h"
#include "db_worker/queue/chunk.h"
#include "db_worker/queue/columns.h"
#include "db_worker/queue/head.h"
#include "tests/support/expect_ok.h"
#include "tests/support/strategy_core_fixture.h"

namespace orbweaver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr WallTime kThen{std::chrono::milliseconds(1'700'000'000'000)};
const std::string kOther = "https://a.test/0";

class UrlPlanTest : public StrategyCoreTest {
 protected:
  absl::StatusOr<UrlPlan> Plan(const WantedUrl& wanted, bool has_scope = true) {
    return PlanUrlOrder(world_.bus, world_.store, wanted, product_, *world_.suffixes, has_scope,
                        kThen);
  }
  static WantedUrl Raise() { return {.url = kUrl}; }
  static WantedUrl Again() { return {.url = kUrl, .fetch_again = true}; }
  std::string Refusal(const WantedUrl& wanted, bool has_scope = true) {
    const auto plan = Plan(wanted, has_scope);
    EXPECT_TRUE(IsPoison(plan.status())) << plan.status();
    return std::string(MessageOf(plan.status()));
  }
  // Two of the domain wait in `band`, or for kThen: another one, and kUrl.
  void Queue(std::optional<int> band) {
    const Meta meta{.key = "job", .value = "news"};
    ChunkWriter writer;
    for (const std::string& url : {kOther, kUrl}) {
      std::string encoded;
      EncodeRequest({.url = url,
                     .fingerprint = FingerprintOf(url),
                     .score = 0.25,
                     .not_before = band.has_value() ? WallTime() : kThen,
                     .meta = {&meta, 1},
                     .referrer = "https://b.test/"},
                    &encoded);
      writer.Add(encoded);
    }
    const Chunk chunk = writer.Finish();
    Head head;
    std::string column;
    if (band.has_value()) {
      head.bands[*band].Append(2, 1);
      column = BandColumn(head, *band, 0);
    } else {
      head.delayed.push_back({.due = DueBucketOf(kThen, kThen - std::chrono::hours(1)),
                              .id = 1,
                              .next = 1,
                              .waiting = 2});
      column = DelayedColumn(head.delayed[0], 0);
    }
    std::string packed;
    EncodeHead(head, &packed);
    const std::string row = DomainRow(kDomain);
    const std::vector<CellPut> cells{{kHeadColumn, packed}, {column, chunk.bytes()}};
    const RowPut one{row, Version(++version_), cells};
    std::vector<uint32_t> remaining;
    ASSERT_OK(world_.store.Write(Table::kQueue, {&one, 1}, kLong, &remaining));
  }
  void Fetch(const Request& request) {
    world_.Append({.domain = kDomain,
                   .event = PageFetched{.request = request, .status = 200, .fetched_at = kThen}});
    ASSERT_OK(Run());
  }

  ProductOptions product_;
  uint64_t version_ = 0;
};

TEST_F(UrlPlanTest, AUrlThatNobodyHeardOfIsForSeedsAdd) {
  EXPECT_THAT(Refusal(Raise()), HasSubstr("`orbweaver seeds add`"));
  EXPECT_THAT(Refusal(Again()), HasSubstr("was never heard of"));
  EXPECT_THAT(Refusal({.url = "mailto:x"}), HasSubstr("no URL that is ever fetched"));
}

TEST_F(UrlPlanTest, AUrlThatWaitsIsRaisedWithWhatTravelsWithItsRequest) {
  AppendLinks({kUrl});
  ASSERT_OK(Run());
  EXPECT_THAT(Refusal(Raise()), HasSubstr("on its way there or handed out"));
  EXPECT_THAT(Refusal(Again()), HasSubstr("on its way there or handed out"));
  Queue(5);
  for (const WantedUrl& wanted : {Raise(), Again()}) {
    const auto plan = Plan(wanted);
    ASSERT_OK(plan.status());
    EXPECT_EQ(plan->says, "raises https://a.test/1 from band 5 to band 0 of 0 to 7");
    EXPECT_EQ(plan->before, 1u);
    EXPECT_THAT(plan->meta, ElementsAre(Pair("job", "news")));
    EXPECT_EQ(plan->referrer, "https://b.test/");
  }
  Queue(0);
  EXPECT_THAT(Plan(Raise())->says, StartsWith("leaves https://a.test/1 where it is, in band 0"));
}

TEST_F(UrlPlanTest, AUrlThatWaitsForItsTimeIsRaisedAndNotPutOff) {
  AppendLinks({kUrl});
  ASSERT_OK(Run());
  Queue({});
  EXPECT_EQ(Plan(Raise())->says,
            "raises https://a.test/1 from its wait until 2023-11-14T22:13:20.000Z to band 0 of 0 "
            "to 7");
  WantedUrl later = Again();
  later.not_before = kThen;
  EXPECT_THAT(Refusal(later), HasSubstr("where no request is put off"));
}

TEST_F(UrlPlanTest, AUrlThatWasFetchedIsFetchedAgainOnceHoweverOftenTheOrderIsGiven) {
  strategy_.on_event = {};
  Fetch(RequestOf(kUrl));
  EXPECT_THAT(Refusal(Raise()), HasSubstr("was fetched at 2023-11-14T22:13:20.000Z. `orbweaver "
                                          "reschedule` fetches it again"));
  WantedUrl wanted = Again();
  wanted.not_before = kThen;
  const auto plan = Plan(wanted);
  ASSERT_OK(plan.status());
  EXPECT_EQ(plan->says,
            "fetches https://a.test/1 again from 2023-11-14T22:13:20.000Z on; it was fetched at "
            "2023-11-14T22:13:20.000Z");
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(WritePlan(world_.bus, world_.clock, *plan, kLong).status());
  }
  ASSERT_OK(Run());
  const auto requests = world_.ReadRequests();
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_EQ(requests[0].action, ScheduleAction::kAdd);
  EXPECT_EQ(requests[0].not_before_ms, kThen.time_since_epoch().count());
}

TEST_F(UrlPlanTest, AUrlThatFailedIsFetchedAgainAsWhatItWasAskedForBefore) {
  strategy_.on_event = {};
  const Meta meta{.key = "job", .value = "news"};
  Request request = RequestOf(kUrl);
  request.meta = {&meta, 1};
  world_.Append(
      {.domain = kDomain,
       .event = FetchFailed{.request = request, .cause = FailureCause::kHttp4xx, .status = 404}});
  ASSERT_OK(Run());
  const auto plan = Plan(Again());
  ASSERT_OK(plan.status());
  EXPECT_EQ(plan->says,
            "fetches https://a.test/1 again in its domain's turn; it is gone: http_4xx");
  EXPECT_THAT(plan->meta, ElementsAre(Pair("job", "news")));
}

TEST_F(UrlPlanTest, PatternsOfTheScopeHoldWhereTheyAreKnown) {
  strategy_.on_event = {};
  Fetch(RequestOf(kUrl));
  product_.spider.scope.exclude = {"*/1"};
  EXPECT_THAT(Refusal(Again()), HasSubstr("is left out: it matches"));
  EXPECT_OK(Plan(Again(), /*has_scope=*/false).status());
}

}  // namespace
}  // namespace orbweaver
