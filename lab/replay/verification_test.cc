#include "lab/replay/verification.h"

#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "lab/replay/event_round.h"
#include "lab/replay/merged_log.h"
#include "lab/replay/scoring_stream.h"
#include "tests/support/expect_ok.h"
#include "tests/support/recorded_crawl.h"

namespace orbweaver::lab {
namespace {

class VerificationTest : public RecordedCrawl {
 protected:
  absl::StatusOr<VerificationResult> Replay(const Recording& recording, Strategy& strategy) {
    return Verify(recording, *NewWorker(strategy), [](uint64_t) { return true; });
  }
};

TEST_F(VerificationTest, TheSameStrategyDecidesTheSameWhateverTheBatchesWere) {
  const auto recording = RecordBoth();
  const auto strategy = Load("breadth_first");
  const auto result = Replay(*recording, *strategy);
  ASSERT_OK(result);
  EXPECT_FALSE(result->first.has_value());
  EXPECT_TRUE(result->is_complete);
  EXPECT_EQ(result->differences, 0u);
  EXPECT_EQ(result->behind_the_end, 0u);
  EXPECT_GT(result->equal, 300u);
  EXPECT_GT(result->equal_requests, result->equal);
  EXPECT_EQ(result->dead_letters, 0u);
}

TEST_F(VerificationTest, AWorkerNeedsTheBytesOfItsEventsForTheirRoundAlone) {
  const auto recording = RecordBoth();
  const auto strategy = Load("breadth_first");
  const auto at_once = NewWorker(*strategy), in_rounds = NewWorker(*strategy);
  MergedLog log(*recording, kSpiderLogTopic, /*skip_damaged=*/false);
  EventRound all;
  ASSERT_OK(all.Read(&log));
  const size_t events = all.events().size();
  ASSERT_GT(events, 300u);
  ASSERT_OK(at_once->Decide(all.events()));

  for (size_t i = 0; i < events; i += 7) {
    std::vector<Message> round;
    std::deque<std::string> bytes;
    for (Message event : all.events().subspan(i, std::min<size_t>(7, events - i))) {
      event.key = bytes.emplace_back(event.key);
      event.value = bytes.emplace_back(event.value);
      round.push_back(event);
    }
    ASSERT_OK(in_rounds->Decide(round));
    for (std::string& of : bytes) of.assign(of.size(), '?');
  }

  const auto decisions = [](ReplayWorker& worker) {
    std::set<std::pair<std::string, std::string>> entries;
    ScoringStream stream;
    EXPECT_OK(worker.TakeScoringLog([&](PartitionId partition, Offset offset, auto value) {
      const auto decision = *stream.Take(partition, offset, value);
      if (decision.has_value()) entries.emplace(decision->domain, decision->entry);
      return absl::OkStatus();
    }));
    return entries;
  };
  const auto expected = decisions(*at_once);
  EXPECT_GT(expected.size(), 300u);
  EXPECT_EQ(decisions(*in_rounds), expected);
  EXPECT_EQ(in_rounds->dead_letters(), 0u);
}

TEST_F(VerificationTest, AChangedDecisionIsFoundWithItsEvent) {
  const auto recording = RecordBoth();
  const auto real = Load("breadth_first");
  // Decides as the real one, but for one URL.
  ScriptedStrategy changed;
  changed.name_ = real->name();
  std::string url;
  int events = 0;
  changed.filter = [&](const auto& event, auto links, auto keep) {
    return real->Filter(event, links, keep);
  };
  changed.on_event = [&](ScriptedStrategy::Call call) -> absl::Status {
    const absl::Status status =
        real->OnEvent(call.event, call.links, call.states, call.decisions, call.output);
    if (call.event.kind != ORBWEAVER_LINKS || ++events < 100 || !url.empty()) return status;
    for (size_t i = 0; i < call.decisions.size() && url.empty(); ++i) {
      if (call.decisions[i].action != ORBWEAVER_SCHEDULE) continue;
      call.decisions[i].score /= 2;
      url.assign(call.links[i].url_view.data, call.links[i].url_view.size);
    }
    return status;
  };
  const auto result = Replay(*recording, changed);
  ASSERT_OK(result);
  ASSERT_FALSE(url.empty());
  ASSERT_TRUE(result->first.has_value());
  EXPECT_NE(result->first->recorded.find(url), std::string::npos);
  EXPECT_NE(result->first->replayed.find(url), std::string::npos);
  EXPECT_EQ(result->differences, 1u);
  EXPECT_GT(result->equal, 300u);

  // The event is shown, and a store that stands right before it.
  const auto again = NewWorker(*real);
  int shown = 0;
  ASSERT_OK(ReplayBefore(*recording, result->first->key, *again, [&](const Message& event) {
    ++shown;
    EXPECT_EQ(event.offset, result->first->key.event);
    EXPECT_NE(event.value.find(url), std::string_view::npos);
  }));
  EXPECT_EQ(shown, 1);
}

TEST_F(VerificationTest, AnotherStrategyIsDifferentAndEndsInTime) {
  const auto recording = RecordBoth();
  const auto strategy = Load("depth_first");
  const auto result = Replay(*recording, *strategy);
  ASSERT_OK(result);
  EXPECT_TRUE(result->first.has_value());
  EXPECT_GT(result->differences, 100u);
}

TEST_F(VerificationTest, WithoutTheBeginningNothingIsSaid) {
  const auto strategy = Load("breadth_first");
  const auto late = Record({kSpiderLogTopic, kScoringLogTopic}, /*from=*/5);
  const absl::Status status = Replay(*late, *strategy).status();
  EXPECT_TRUE(IsFatal(status)) << status;
  EXPECT_NE(status.message().find("goes on at offset 5"), std::string_view::npos) << status;
}

TEST_F(VerificationTest, ARecordingWithoutTheScoringLogIsRefused) {
  const auto strategy = Load("breadth_first");
  const auto one = Record({kSpiderLogTopic});
  const absl::Status status = Replay(*one, *strategy).status();
  EXPECT_TRUE(IsFatal(status)) << status;
  EXPECT_NE(status.message().find("scoring-log is not in this recording"), std::string_view::npos);
}

}  // namespace
}  // namespace orbweaver::lab
