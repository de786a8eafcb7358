#include "strategy_worker/core/exploration.h"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/model/score_band.h"
#include "tests/support/expect_ok.h"
#include "tests/support/strategy_core_fixture.h"

namespace orbweaver {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

WallTime At(int64_t ms) { return WallTime(std::chrono::milliseconds(ms)); }

TEST(DrawExploredTest, EachCandidateIsDrawnAsOftenAsItsProbabilitySays) {
  constexpr int kEvents = 40'000;
  std::array<int, 5> drawn{};
  for (int i = 0; i < kEvents; ++i) {
    const auto lot = DrawExplored(0.1, 2, "http://a.test/" + std::to_string(i % 400), At(i / 400),
                                  {.high = 1, .low = 2}, drawn.size());
    if (!lot.has_value()) continue;
    EXPECT_DOUBLE_EQ(lot->probability, 0.2 / 5);
    ++drawn.at(lot->candidate);
  }
  for (const int times : drawn) EXPECT_NEAR(times, kEvents * 0.04, 160);  // 4 sigma
}

TEST(DrawExploredTest, TheSameEventDrawsTheSameAndManyChancesDrawForSure) {
  for (int i = 0; i < 100; ++i) {
    const auto draw = [&] { return DrawExplored(0.3, 1, "http://a.test/", At(i), {.low = 7}, 9); };
    ASSERT_EQ(draw().has_value(), draw().has_value());
    if (draw().has_value()) EXPECT_EQ(draw()->candidate, draw()->candidate);
    EXPECT_TRUE(DrawExplored(0.05, 20, "http://a.test/", At(i), {.low = 7}, 9).has_value());
    EXPECT_FALSE(DrawExplored(0.05, 0, "http://a.test/", At(i), {.low = 7}, 9).has_value());
  }
}

// A page is fetched, and it leads to pages of its domain and to others of theirs.
class ExplorationTest : public StrategyCoreTest {
 protected:
  static constexpr float kScore = 0.3f;

  ExplorationTest() {
    strategy_.on_event = [this](ScriptedStrategy::Call call) {
      shown_scores_.push_back(call.event.source_view != nullptr ? call.event.source_view->score
                                                                : call.event.score);
      shown_meta_ += call.event.meta_count;
      for (size_t i = 0; i < call.decisions.size(); ++i) {
        const bool is_new = call.states[i].known == 0;
        if (!is_new && call.event.kind == ORBWEAVER_LINKS) continue;
        if (call.event.kind == ORBWEAVER_PAGE && !recrawls_) continue;
        call.decisions[i].action = ORBWEAVER_SCHEDULE;
        call.decisions[i].score = score_;
        call.decisions[i].not_before_ms = not_before_ms_;
      }
      return absl::OkStatus();
    };
    options_.explore = 0.1;
  }

  // As a spider asks for it: with what the request says.
  static Request AsAsked(const ReadRequest& request, std::vector<Meta>* meta) {
    for (const auto& [key, value] : request.meta) meta->push_back({.key = key, .value = value});
    return {.url = request.url,
            .domain = kDomain,
            .depth = request.depth,
            .score = request.score,
            .attempt = request.attempt,
            .meta = *meta};
  }
  void AppendPage(const std::string& url) {
    world_.clock.Advance(std::chrono::milliseconds(10));
    world_.Append({.domain = kDomain,
                   .event = PageFetched{.request = {.url = url, .domain = kDomain, .score = kScore},
                                        .status = 200},
                   .time = world_.clock.Wall()});
  }
  void AppendFound(const std::string& source, const std::vector<std::string>& urls) {
    std::vector<Link> links;
    for (const std::string& url : urls) links.push_back({.url = url});
    world_.Append({.domain = kDomain,
                   .event = LinksFound{.source = {.url = source, .score = kScore}, .links = links},
                   .time = world_.clock.Wall()});
  }
  std::vector<std::string> Fresh(size_t count) {
    std::vector<std::string> urls;
    for (size_t i = 0; i < count; ++i) {
      urls.push_back("https://a.test/n" + std::to_string(next_url_++));
    }
    return urls;
  }
  // Pages until one request was drawn, which is returned.
  ReadRequest DrawOne() {
    for (int i = 0; i < 200; ++i) {
      const std::string page = "https://a.test/p" + std::to_string(i);
      AppendPage(page);
      AppendFound(page, Fresh(4));
    }
    EXPECT_OK(Run());
    for (const ReadRequest& request : world_.ReadRequests()) {
      if (request.meta.contains(std::string(kExploreKey))) return request;
    }
    ADD_FAILURE() << "none was drawn";
    return {};
  }
  size_t Drawn() {
    size_t drawn = 0;
    for (const ReadRequest& request : world_.ReadRequests()) {
      drawn += request.meta.contains(std::string(kExploreKey));
    }
    return drawn;
  }

  float score_ = kScore;
  int64_t not_before_ms_ = 0;
  bool recrawls_ = false;
  std::vector<float> shown_scores_;
  size_t shown_meta_ = 0;
  int next_url_ = 0;
};

TEST_F(ExplorationTest, TheShareIsThatOfTheFetchesAndTheProbabilitiesAddUpToTheCandidates) {
  Random random(1);
  constexpr int kPages = 4000;
  double candidates = 0;
  for (int i = 0; i < kPages; ++i) {
    const std::string page = "https://a.test/p" + std::to_string(i);
    AppendPage(page);
    // Now and then a page leads to nothing that is new; then its chance goes to the next one.
    const size_t inside = random.Below(3) == 0 ? 0 : 1 + random.Below(20);
    if (inside > 0) AppendFound(page, Fresh(inside));
    candidates += static_cast<double>(inside);
    // Others lead here far more often than this domain is fetched.
    for (int other = 0; other < 3; ++other)
      AppendFound("https://b.test/" + std::to_string(i), Fresh(2));
  }
  ASSERT_OK(Run());
  double drawn = 0, stands_for = 0, variance = 0;
  for (const ReadRequest& request : world_.ReadRequests()) {
    const auto found = request.meta.find(std::string(kExploreKey));
    if (found == request.meta.end()) continue;
    const double probability = std::stod(found->second);
    ++drawn;
    stands_for += 1 / probability;
    variance += (1 - probability) / (probability * probability);
  }
  const double expected = options_.explore * kPages;
  EXPECT_NEAR(drawn, expected, 4 * std::sqrt(expected));
  // Of events with a chance: those of pages that lead to something, and the first of the others'.
  const double with_chance = candidates + kPages * (1.0 / 3) * 2;
  EXPECT_NEAR(stands_for, with_chance, 4 * std::sqrt(variance));
  EXPECT_LT(std::sqrt(variance), with_chance / 8) << "the check above says something";
}

TEST_F(ExplorationTest, ADrawnRequestIsFetchedFirstAndKnowsItsOwnScore) {
  const ReadRequest drawn = DrawOne();
  EXPECT_EQ(BandOf(drawn.score), 0);
  std::vector<Meta> meta;
  const Request asked = AsAsked(drawn, &meta);
  const auto exploration = ExplorationOf(asked.meta);
  ASSERT_TRUE(exploration.has_value());
  EXPECT_EQ(exploration->score, kScore);
  EXPECT_NEAR(exploration->probability, 0.1 / 4, 1e-6);
}

TEST_F(ExplorationTest, TheStrategySeesItsOwnScoreAndNoMetaOfOurs) {
  const ReadRequest drawn = DrawOne();
  std::vector<Meta> meta;
  const Request asked = AsAsked(drawn, &meta);
  shown_scores_.clear();
  world_.Append({.domain = kDomain, .event = PageFetched{.request = asked, .status = 200}});
  const Link link{.url = "https://a.test/behind"};
  world_.Append(
      {.domain = kDomain,
       .event = LinksFound{.source = {.url = asked.url, .score = asked.score, .meta = meta},
                           .links = {&link, 1}}});
  world_.Append(
      {.domain = kDomain, .event = FetchFailed{.request = asked, .cause = FailureCause::kReset}});
  ASSERT_OK(Run());
  EXPECT_EQ(shown_scores_, (std::vector<float>{kScore, kScore, kScore}));
  EXPECT_EQ(shown_meta_, 0u);
}

TEST_F(ExplorationTest, AnotherTryOfADrawnRequestStaysOneAndAnotherVisitIsNone) {
  const ReadRequest drawn = DrawOne();
  std::vector<Meta> meta;
  const Request asked = AsAsked(drawn, &meta);
  world_.Append(
      {.domain = kDomain, .event = FetchFailed{.request = asked, .cause = FailureCause::kReset}});
  ASSERT_OK(Run());
  const ReadRequest retry = world_.ReadRequests().back();
  EXPECT_EQ(retry.url, drawn.url);
  EXPECT_EQ(retry.attempt, drawn.attempt + 1);
  EXPECT_EQ(retry.meta, drawn.meta);
  EXPECT_EQ(BandOf(retry.score), 0);
  recrawls_ = true;
  world_.Append({.domain = kDomain, .event = PageFetched{.request = asked, .status = 200}});
  ASSERT_OK(Run());
  const ReadRequest visit = world_.ReadRequests().back();
  EXPECT_EQ(visit.url, drawn.url);
  EXPECT_THAT(visit.meta, IsEmpty());
  EXPECT_EQ(visit.score, kScore);
}

TEST_F(ExplorationTest, AHandedBackRequestStaysDrawn) {
  const ReadRequest drawn = DrawOne();
  std::vector<Meta> meta;
  world_.Append({.domain = kDomain, .event = Deferred{.request = AsAsked(drawn, &meta)}});
  ASSERT_OK(Run());
  EXPECT_EQ(world_.ReadRequests().back().meta, drawn.meta);
  EXPECT_EQ(world_.ReadRequests().back().score, drawn.score);
}

TEST_F(ExplorationTest, NothingIsDrawnOfWhatLeavesFirstAnyhowOrLater) {
  options_.explore = 1;
  score_ = 0.99f;
  AppendPage("https://a.test/p");
  AppendFound("https://a.test/p", Fresh(5));
  ASSERT_OK(Run());
  EXPECT_EQ(Drawn(), 0u);
  score_ = kScore;
  not_before_ms_ = world_.clock.Wall().time_since_epoch().count() + 60'000;
  AppendFound("https://a.test/p", Fresh(5));
  ASSERT_OK(Run());
  EXPECT_EQ(Drawn(), 0u);
  // The chance is still there.
  not_before_ms_ = 0;
  AppendFound("https://a.test/p", Fresh(5));
  AppendFound("https://a.test/p", Fresh(5));
  ASSERT_OK(Run());
  EXPECT_EQ(Drawn(), 1u);
}

TEST_F(ExplorationTest, WithoutTheOptionNothingIsDrawnAndTheRowIsAsBefore) {
  options_.explore = 0;
  for (int i = 0; i < 50; ++i)
    AppendPage("https://a.test/p"), AppendFound("https://a.test/p", Fresh(5));
  ASSERT_OK(Run());
  EXPECT_EQ(Drawn(), 0u);
  EXPECT_EQ(world_.RecordOf(kDomain)->explore_chances, 0u);
  for (const ReadRequest& request : world_.ReadRequests()) EXPECT_THAT(request.meta, IsEmpty());
}

TEST_F(ExplorationTest, BatchesMakeNoDifference) {
  std::vector<std::map<std::string, std::string>> drawn[2];
  for (int run = 0; run < 2; ++run) {
    StrategyWorld world;
    for (int i = 0; i < 300; ++i) {
      const std::string page = "https://a.test/p" + std::to_string(i);
      world.clock.Advance(std::chrono::milliseconds(10));
      world.Append(
          {.domain = kDomain,
           .event = PageFetched{.request = {.url = page, .domain = kDomain}, .status = 200},
           .time = world.clock.Wall()});
      const std::string url = "https://a.test/n" + std::to_string(i);
      const std::string url2 = url + "b";
      const Link links[] = {{.url = url}, {.url = url2}};
      world.Append({.domain = kDomain,
                    .event = LinksFound{.source = {.url = page}, .links = links},
                    .time = world.clock.Wall()});
    }
    StrategyWorld::Worker worker;
    worker.options = options_;
    worker.options.batch_events = run == 0 ? 1 : 1000;
    const auto core = world.NewCore(strategy_, std::move(worker));
    ASSERT_OK(world.RunUntilIdle(*core));
    for (const ReadRequest& request : world.ReadRequests()) drawn[run].push_back(request.meta);
  }
  EXPECT_EQ(drawn[0], drawn[1]);
  EXPECT_THAT(drawn[0], Contains(Not(IsEmpty())));
}

}  // namespace
}  // namespace orbweaver
