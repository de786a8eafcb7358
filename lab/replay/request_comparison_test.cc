#include "lab/replay/request_comparison.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/text.h"
#include "common/model/encode_buffer.h"
#include "tests/support/expect_ok.h"

namespace orbweaver::lab {
namespace {

using Kind = DifferenceKind;

struct Asked {
  std::string url;
  float score = 0.5f;
  int64_t not_before_ms = 0;
  uint32_t depth = 1;
  ScheduleAction action = ScheduleAction::kAdd;
};

// Events happen at a second's distance, from second 1 on.
class RequestComparisonTest : public ::testing::Test {
 protected:
  static constexpr int64_t kEvents = 100;

  RequestComparisonTest() {
    for (int64_t i = 0; i < kEvents; ++i) {
      events_.Add({.partition = PartitionId(0), .offset = Offset(i), .time = TimeOf(i)});
    }
  }
  static WallTime TimeOf(int64_t event) {
    return WallTime(std::chrono::milliseconds(1000 * (event + 1)));
  }

  static Decision Made(int64_t event, const std::vector<Asked>& asked, uint32_t part = 0,
                       std::optional<DomainUpdate> update = std::nullopt,
                       const std::string& domain = "a.com") {
    std::vector<ScheduledRequest> requests;
    for (const Asked& one : asked) {
      requests.push_back({.url = one.url,
                          .depth = one.depth,
                          .score = one.score,
                          .not_before = WallTime(std::chrono::milliseconds(one.not_before_ms)),
                          .action = one.action});
    }
    EncodeBuffer buffer;
    const auto entry =
        Encode(ScoringLogEntry{.epoch = Offset(0),
                               .entry = ScheduleRequests{.source_topic_epoch = 1,
                                                         .source_offset = Offset(event),
                                                         .part = part,
                                                         .domain = domain,
                                                         .domain_update = update,
                                                         .requests = requests}},
               &buffer);
    EXPECT_OK(entry);
    return {.key = {PartitionId(0), Offset(event), part},
            .entry = std::string(*entry),
            .domain = domain,
            .requests = asked.size()};
  }

  void First(const Decision& decision) { EXPECT_OK(comparison_.Add(Side::kFirst, decision)); }
  void Second(const Decision& decision) { EXPECT_OK(comparison_.Add(Side::kSecond, decision)); }
  ComparisonResult Finish(bool first_may_end_early = false) {
    auto result = comparison_.Finish(first_may_end_early);
    EXPECT_OK(result);
    return *std::move(result);
  }
  static std::vector<uint64_t> Kinds(const ComparisonResult& result) {
    return {result.counts.kinds.begin(), result.counts.kinds.end()};
  }

  EventIndex events_;
  RequestComparison comparison_{events_};
};

TEST_F(RequestComparisonTest, EqualDecisionsAreNoDifferenceHoweverTheyAreSplit) {
  First(Made(1, {{"http://a.com/1"}, {"http://a.com/2"}}));
  Second(Made(1, {{"http://a.com/1"}, {"http://a.com/2"}}));
  First(Made(2, {{"http://a.com/3"}, {"http://a.com/4"}, {"http://a.com/5"}}));
  Second(Made(2, {{"http://a.com/5"}}, 1));
  Second(Made(2, {{"http://a.com/4"}, {"http://a.com/3"}}, 0));
  const ComparisonResult result = Finish();
  EXPECT_EQ(result.counts.differences(), 0u);
  EXPECT_EQ(result.equal, 5u);
  EXPECT_EQ(result.counts.requests, (std::array<uint64_t, 2>{5, 5}));
  EXPECT_FALSE(result.first.has_value());
  EXPECT_TRUE(result.examples.empty());
}

TEST_F(RequestComparisonTest, EachKindIsCountedByDomainAndPattern) {
  First(Made(1, {{"http://a.com/x/1"}, {"http://a.com/x/2", 0.9f}, {"http://a.com/x/3", 0.55f}}));
  Second(Made(1, {{"http://a.com/x/2", 0.1f}, {"http://a.com/x/3", 0.56f}, {"http://a.com/y"}}));
  First(Made(2, {{"http://a.com/4", 0.5f, 500}, {"http://a.com/5"}}));
  Second(Made(2, {{"http://a.com/4", 0.5f, 60'000}, {"http://a.com/5", 0.5f, 900, 2}}));
  First(Made(3, {}, 0, DomainUpdate{.purge = true}, "b.com"));
  First(Made(4, {}, 0, DomainUpdate{.back_off = true}, "b.com"));
  Second(Made(4, {}, 0, DomainUpdate{.back_off = true}, "b.com"));
  First(Made(5, {{"http://a.com/6", 0, 0, 1, ScheduleAction::kDelete}}));
  const ComparisonResult result = Finish();
  EXPECT_EQ(Kinds(result), (std::vector<uint64_t>{2, 1, 1, 1, 1, 1}));
  // The score of /x/3 is another one within its band; /5 may leave before its event's time.
  EXPECT_EQ(result.equal, 1u);
  EXPECT_EQ(result.other_score, 1u);
  EXPECT_EQ(result.only[0], (std::array<uint64_t, 3>{1, 0, 1}));
  EXPECT_EQ(result.only[1], (std::array<uint64_t, 3>{1, 0, 0}));
  ASSERT_EQ(result.domains.size(), 2u);
  EXPECT_EQ(result.domains[0].first, "a.com");
  EXPECT_EQ(result.domains[0].second.differences(), 6u);
  EXPECT_EQ(result.domains[0].second.requests, (std::array<uint64_t, 2>{6, 5}));
  EXPECT_EQ(result.domains[1].first, "b.com");
  EXPECT_EQ(result.domains[1].second.of(Kind::kOtherUpdate), 1u);
  ASSERT_EQ(result.different_patterns, 3u);
  EXPECT_EQ(result.patterns[0].first, "a.com/N");
  EXPECT_EQ(result.patterns[0].second.differences(), 3u);
  EXPECT_EQ(result.patterns[1].first, "a.com/x/…");
  EXPECT_EQ(result.patterns[1].second.of(Kind::kOtherBand), 1u);
  ASSERT_TRUE(result.first.has_value());
  EXPECT_EQ(result.first->event(), 1u);
}

TEST_F(RequestComparisonTest, ARequestOnAnotherEventIsAtAnotherTimeAndNotMissing) {
  First(Made(1, {{"http://a.com/1", 0.9f}}));
  EXPECT_OK(comparison_.EndRound());
  EXPECT_OK(comparison_.EndRound());
  Second(Made(7, {{"http://a.com/1", 0.1f}}));
  // Both wait for the same time.
  First(Made(2, {{"http://a.com/2", 0.5f, 80'000}}));
  Second(Made(3, {{"http://a.com/2", 0.5f, 80'000}}));
  const ComparisonResult result = Finish();
  EXPECT_EQ(Kinds(result), (std::vector<uint64_t>{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(result.equal, 1u);
  ASSERT_EQ(result.examples.size(), 2u);
  EXPECT_EQ(result.examples[0].url, "http://a.com/1");
  EXPECT_EQ(result.examples[0].first->event, 1u);
  EXPECT_EQ(result.examples[0].second->event, 7u);
  EXPECT_FLOAT_EQ(result.examples[0].second->score, 0.1f);
}

TEST_F(RequestComparisonTest, TheCounterpartOnTheSameEventCountsThoughItComesRoundsLater) {
  for (int64_t event = 0; event < 50; ++event) {
    Second(Made(event, {{"http://a.com/1", 0.5f}, {"http://a.com/2"}}));
    EXPECT_OK(comparison_.EndRound());
  }
  // One visit less on this side: all others keep their counterparts.
  for (int64_t event = 1; event < 50; ++event)
    First(Made(event, {{"http://a.com/1", 0.5f}, {"http://a.com/2"}}));
  const ComparisonResult result = Finish();
  EXPECT_EQ(Kinds(result), (std::vector<uint64_t>{0, 2, 0, 0, 0, 0}));
  EXPECT_EQ(result.equal, 98u);
  EXPECT_EQ(result.first->event(), 0u);
}

TEST_F(RequestComparisonTest, DecisionsBehindTheEndOfTheFirstSideAreNoDifference) {
  First(Made(3, {{"http://a.com/1"}}));
  Second(Made(3, {{"http://a.com/1"}}));
  Second(Made(2, {{"http://a.com/2"}}));
  Second(Made(4, {{"http://a.com/3"}}));
  Second(Made(kEvents, {{"http://a.com/4"}}));  // not replayed
  const ComparisonResult result = Finish(/*first_may_end_early=*/true);
  EXPECT_EQ(Kinds(result), (std::vector<uint64_t>{0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(result.behind_the_end, 1u);
}

TEST_F(RequestComparisonTest, ExamplesAreTheSameInWhateverOrderDecisionsCome) {
  std::vector<Decision> decisions;
  for (int64_t event = 0; event < kEvents; ++event) {
    decisions.push_back(Made(event, {{"http://a.com/" + std::to_string(event)}}));
  }
  RequestComparison backward(events_);
  for (const Decision& decision : decisions) First(decision);
  std::ranges::reverse(decisions);
  for (const Decision& decision : decisions) EXPECT_OK(backward.Add(Side::kFirst, decision));
  const ComparisonResult one = Finish();
  const auto other = backward.Finish(false);
  ASSERT_OK(other);
  EXPECT_EQ(one.counts.of(Kind::kOnlyFirst), static_cast<uint64_t>(kEvents));
  ASSERT_EQ(one.examples.size(), kExamplesOfAKind);
  ASSERT_EQ(other->examples.size(), kExamplesOfAKind);
  for (size_t i = 0; i < kExamplesOfAKind; ++i) {
    EXPECT_EQ(one.examples[i].url, other->examples[i].url);
    EXPECT_EQ(one.examples[i].url, "http://a.com/" + std::to_string(one.examples[i].event()));
    if (i > 0) EXPECT_LT(one.examples[i - 1].event(), one.examples[i].event());
  }
}

// By another way: both sides' requests in lists by URL.
TEST_F(RequestComparisonTest, CountsAreThoseOfASimplerMatching) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    RequestComparison comparison(events_);
    std::map<std::string, std::vector<std::pair<int64_t, int>>> by_url[2];  // event, band
    std::vector<std::pair<Side, Decision>> late;
    for (int64_t event = 0; event < kEvents; ++event) {
      for (int side = 0; side < 2; ++side) {
        std::map<std::string, int> chosen;
        for (uint64_t i = random.Below(4); i > 0; --i) {
          chosen["http://a.com/" + std::to_string(random.Below(12))] =
              static_cast<int>(random.Below(2));
        }
        std::vector<Asked> asked;
        for (const auto& [url, band] : chosen) {
          by_url[side][url].emplace_back(event, band);
          asked.push_back({.url = url, .score = band == 0 ? 0.95f : 0.2f});
        }
        if (asked.empty()) continue;
        if (random.Chance(0.2)) {
          late.emplace_back(static_cast<Side>(side), Made(event, asked));
        } else {
          EXPECT_OK(comparison.Add(static_cast<Side>(side), Made(event, asked)));
        }
      }
      if (random.Chance(0.3)) EXPECT_OK(comparison.EndRound());
    }
    for (const auto& [side, decision] : late) EXPECT_OK(comparison.Add(side, decision));
    uint64_t kinds[4] = {};
    uint64_t equal = 0;
    for (uint64_t number = 0; number < 12; ++number) {
      const std::string url = "http://a.com/" + std::to_string(number);
      auto& first = by_url[0][url];
      auto& second = by_url[1][url];
      for (auto at = first.begin(); at != first.end();) {
        const auto same =
            std::ranges::find(second, at->first, [](const auto& one) { return one.first; });
        if (same == second.end()) {
          ++at;
          continue;
        }
        ++(same->second == at->second ? equal : kinds[2]);
        second.erase(same);
        at = first.erase(at);
      }
      const size_t pairs = std::min(first.size(), second.size());
      kinds[3] += pairs;
      for (size_t i = 0; i < pairs; ++i) kinds[2] += first[i].second != second[i].second;
      kinds[0] += first.size() - pairs;
      kinds[1] += second.size() - pairs;
    }
    const auto result = comparison.Finish(false);
    ASSERT_OK(result);
    ASSERT_EQ(Kinds(*result), (std::vector<uint64_t>{kinds[0], kinds[1], kinds[2], kinds[3], 0, 0}))
        << seed;
    ASSERT_EQ(result->equal, equal) << seed;
  }
}

}  // namespace
}  // namespace orbweaver::lab
