#include "spider/crawl/polite_fetches.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/metrics/metric_registry.h"
#include "tests/support/journey.h"
#include "tests/support/kept_tasks.h"

namespace orbweaver {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr TurnId kFirst{101};
constexpr TurnId kSecond{102};

class PoliteFetchesTest : public ::testing::Test {
 protected:
  void Make(PolitenessOptions options = {}) {
    fetches_ =
        std::make_unique<PoliteFetches>(options, /*max_fetches=*/10, clock_, lanes_, metrics_);
  }
  void Begin(TurnId id, std::string_view domain = "a.test") {
    const std::string url = "http://" + std::string(domain) + "/";
    fetches_->Begin(id, JourneyOf({.url = url, .domain = domain}), false, std::nullopt, false);
  }
  // The tasks that lanes get within some seconds.
  std::vector<TurnId> Started(int within_s = 1) {
    std::vector<TurnId> ids;
    for (int i = 0; i < within_s; ++i) {
      clock_.Advance(seconds(1));
      fetches_->Advance(true, [](TurnId) { return true; });
      for (const LaneTask& task : lanes_.Take()) {
        ids.push_back(task.id);
        last_ = task;
      }
    }
    return ids;
  }
  FetchEnd Ends(TurnId id, FetchEnd end) {
    LaneResult result{.id = id, .reached = Reached::kAnother};
    result.what = FetchOver{.ending = {.status = 200}, .end = std::move(end)};
    return fetches_->OnResult(result);
  }
  // No name server answers the look-up.
  FetchEnd NoNames(TurnId id) {
    auto why = std::make_unique<FetchResult>();
    why->failure = FailureCause::kDnsTemporary;
    LaneResult result{.id = id, .suspect = OwnSide::kNameServers};
    result.what = std::move(why);
    return fetches_->OnResult(result);
  }

  ManualClock clock_;
  MetricRegistry registry_;
  CrawlMetrics metrics_{registry_};
  KeptTasks lanes_;
  std::unique_ptr<PoliteFetches> fetches_;
  LaneTask last_;
};

TEST_F(PoliteFetchesTest, OfADomainTheNextBeginsAfterTheEndOfTheOneBefore) {
  Make();
  Begin(kFirst);
  Begin(kSecond);
  EXPECT_THAT(Started(5), ElementsAre(kFirst));
  EXPECT_TRUE(fetches_->IsRunning(kFirst));
  EXPECT_FALSE(fetches_->IsRunning(kSecond));
  EXPECT_TRUE(std::holds_alternative<LogEntries>(Ends(kFirst, LogEntries())));
  EXPECT_FALSE(fetches_->IsRunning(kFirst));
  EXPECT_THAT(Started(), ElementsAre(kSecond));
}

TEST_F(PoliteFetchesTest, WhatMetAConnectionThatHadEndedHasAnotherTurnAndCountsThen) {
  Make();
  Begin(kFirst);
  EXPECT_THAT(Started(), ElementsAre(kFirst));
  EXPECT_FALSE(last_.fetch->again);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(Ends(kFirst, {})));
  Begin(kSecond);
  EXPECT_THAT(Started(), ElementsAre(kFirst)) << "before those that came later";
  EXPECT_TRUE(last_.fetch->again);
}

TEST_F(PoliteFetchesTest, OfWhatIsDroppedNothingIsToldAndItsDomainIsAskedNoSooner) {
  Make();
  Begin(kFirst);
  EXPECT_THAT(Started(), ElementsAre(kFirst));
  fetches_->Drop(kFirst);
  Begin(kSecond);
  EXPECT_THAT(Started(5), IsEmpty());
  EXPECT_TRUE(std::holds_alternative<std::monostate>(Ends(kFirst, LogEntries())));
  EXPECT_EQ(metrics_.late_answers.value(), 1u);
  EXPECT_THAT(Started(), ElementsAre(kSecond));
}

TEST_F(PoliteFetchesTest, WhatIsDroppedBeforeItsTurnIsNeverAsked) {
  Make();
  Begin(kFirst);
  fetches_->Drop(kFirst);
  EXPECT_THAT(Started(5), IsEmpty());
  EXPECT_EQ(fetches_->running(), 0u);
}

TEST_F(PoliteFetchesTest, ALookUpThatIsDroppedAndFailsByOurSideDoesNotKeepTheWayClosed) {
  Make({.address_delay = seconds(1)});
  Begin(kFirst, "a.test");
  Begin(kSecond, "b.test");
  EXPECT_THAT(Started(), ElementsAre(kFirst, kSecond));
  EXPECT_FALSE(last_.fetch.has_value()) << "a look-up";
  (void)NoNames(kFirst);
  (void)NoNames(kSecond);
  ASSERT_TRUE(fetches_->no_way_out().has_value());
  const std::vector<TurnId> probe = Started(2);
  ASSERT_EQ(probe.size(), 1u) << "one tries the way";
  fetches_->Drop(probe[0]);
  (void)NoNames(probe[0]);
  EXPECT_THAT(Started(60), ElementsAre(probe[0] == kFirst ? kSecond : kFirst));
}

TEST_F(PoliteFetchesTest, ADomainThatAsksForRestIsToldOf) {
  Make();
  Begin(kFirst);
  (void)Started();
  LaneResult result{.id = kFirst, .reached = Reached::kAnother};
  result.what = FetchOver{.ending = {.status = 503}, .end = LogEntries()};
  (void)fetches_->OnResult(result);
  EXPECT_THAT(fetches_->TakeRests(), ElementsAre("a.test"));
  EXPECT_THAT(fetches_->TakeRests(), IsEmpty());
}

}  // namespace
}  // namespace orbweaver
