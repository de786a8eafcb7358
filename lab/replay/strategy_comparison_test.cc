#include "lab/replay/strategy_comparison.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/recorded_crawl.h"

namespace orbweaver::lab {
namespace {

using Kind = DifferenceKind;

constexpr auto kGoOn = [](uint64_t) { return true; };

class StrategyComparisonTest : public RecordedCrawl {
 protected:
  absl::StatusOr<StrategyComparison> Compare(const Recording& recording,
                                             std::vector<Strategy*> strategies,
                                             unsigned threads = 2) {
    std::vector<std::unique_ptr<ReplayWorker>> workers;
    std::vector<ReplayWorker*> pointers;
    for (Strategy* const strategy : strategies) {
      workers.push_back(NewWorker(*strategy));
      pointers.push_back(workers.back().get());
    }
    return CompareStrategies(recording, pointers, threads, kGoOn);
  }
};

// A real strategy, but for the score of the links of one event.
class Changed {
 public:
  explicit Changed(std::unique_ptr<Strategy> real) : real_(std::move(real)) {
    scripted.name_ = real_->name();
    scripted.filter = [this](const auto& event, auto links, auto keep) {
      return real_->Filter(event, links, keep);
    };
    scripted.on_event = [this](ScriptedStrategy::Call call) -> absl::Status {
      const absl::Status status =
          real_->OnEvent(call.event, call.links, call.states, call.decisions, call.output);
      if (call.event.kind != ORBWEAVER_LINKS || ++events_ < 100 || lowered != 0) return status;
      for (size_t i = 0; i < call.decisions.size(); ++i) {
        if (call.decisions[i].action != ORBWEAVER_SCHEDULE) continue;
        call.decisions[i].score = 0.01f;
        urls.emplace_back(call.links[i].url_view.data, call.links[i].url_view.size);
        ++lowered;
      }
      return status;
    };
  }

  ScriptedStrategy scripted;
  uint64_t lowered = 0;
  std::vector<std::string> urls;

 private:
  const std::unique_ptr<Strategy> real_;
  int events_ = 0;
};

TEST_F(StrategyComparisonTest, EqualStrategiesHaveNoDifference) {
  const auto recording = RecordBoth();
  const auto one = Load("breadth_first"), other = Load("breadth_first"),
             third = Load("breadth_first");
  const auto both = Compare(*recording, {one.get(), other.get(), third.get()});
  ASSERT_OK(both);
  ASSERT_EQ(both->results.size(), 2u);
  for (const ComparisonResult& result : both->results) {
    EXPECT_EQ(result.counts.differences(), 0u);
    EXPECT_GT(result.equal, 300u);
    EXPECT_EQ(result.counts.requests, (std::array<uint64_t, 2>{result.equal, result.equal}));
  }
  EXPECT_TRUE(both->is_complete);
  EXPECT_GT(both->events.size(), 400u);
  // And with the recorded decisions, which were made in other batches, by two workers.
  const auto recorded = Compare(*recording, {one.get()});
  ASSERT_OK(recorded);
  ASSERT_EQ(recorded->results.size(), 1u);
  EXPECT_EQ(recorded->results[0].counts.differences(), 0u);
  EXPECT_EQ(recorded->results[0].equal, both->results[0].equal);
}

TEST_F(StrategyComparisonTest, APlantedChangeIsFoundWithItsEventAndCounts) {
  const auto recording = RecordBoth();
  const auto real = Load("breadth_first");
  for (const bool with_recorded : {false, true}) {
    Changed changed(Load("breadth_first"));
    const auto compared = with_recorded ? Compare(*recording, {&changed.scripted})
                                        : Compare(*recording, {real.get(), &changed.scripted});
    ASSERT_OK(compared);
    ASSERT_GT(changed.lowered, 0u);
    const ComparisonResult& result = compared->results[0];
    EXPECT_EQ(result.counts.of(Kind::kOtherBand), changed.lowered);
    EXPECT_EQ(result.counts.differences(), changed.lowered);
    ASSERT_TRUE(result.first.has_value());
    EXPECT_EQ(result.first->kind, Kind::kOtherBand);
    EXPECT_FLOAT_EQ(result.first->second->score, 0.01f);
    EXPECT_NE(std::ranges::find(changed.urls, result.first->url), changed.urls.end());
    for (const DifferenceExample& example : result.examples) {
      EXPECT_EQ(example.event(), result.first->event());
    }
    // The event is one that the URL is in.
    const EventIndex::Event& event = compared->events.at(result.first->event());
    const auto reader = recording->Read(kSpiderLogTopic, event.partition);
    Message message;
    while (*reader->Next(&message) && message.offset != event.offset) {
    }
    EXPECT_NE(message.value.find(result.first->url), std::string_view::npos);
  }
}

TEST_F(StrategyComparisonTest, TheResultDoesNotDependOnThreads) {
  const auto recording = Record({kSpiderLogTopic});
  uint64_t differences = 0;
  for (const unsigned threads : {1u, 3u}) {
    const auto one = Load("breadth_first"), other = Load("depth_first"), third = Load("discovery");
    const auto compared = Compare(*recording, {one.get(), other.get(), third.get()}, threads);
    ASSERT_OK(compared);
    EXPECT_GT(compared->results[0].counts.of(Kind::kOtherBand), 100u);
    EXPECT_EQ(compared->results[0].counts.of(Kind::kOnlySecond), 0u);
    EXPECT_GT(compared->results[1].counts.differences(), 0u);
    EXPECT_NE(compared->results[1].counts.kinds, compared->results[0].counts.kinds);
    if (differences != 0) EXPECT_EQ(compared->results[0].counts.differences(), differences);
    differences = compared->results[0].counts.differences();
  }
}

TEST_F(StrategyComparisonTest, OneThatIsStoppedComparesTheEventsSoFar) {
  const auto recording = RecordBoth();
  const auto strategy = Load("breadth_first");
  const auto worker = NewWorker(*strategy);
  ReplayWorker* const pointer = worker.get();
  const auto stopped =
      CompareStrategies(*recording, {&pointer, 1}, 1, [](uint64_t) { return false; });
  ASSERT_OK(stopped);
  EXPECT_FALSE(stopped->is_complete);
  EXPECT_EQ(stopped->results[0].counts.differences(), 0u);
}

TEST_F(StrategyComparisonTest, WithoutRecordedDecisionsOneStrategyHasNothingToBeComparedWith) {
  const auto strategy = Load("breadth_first");
  const absl::Status status = Compare(*Record({kSpiderLogTopic}), {strategy.get()}).status();
  EXPECT_NE(status.message().find("scoring-log is not in this recording"), std::string_view::npos)
      << status;
}

}  // namespace
}  // namespace orbweaver::lab
