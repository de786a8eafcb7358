#include "lab/replay/verification.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "lab/recording/recorder.h"
#include "lab/recording/recording_folder.h"
#include "strategy_worker/host/loader.h"
#include "tests/support/expect_ok.h"
#include "tests/support/page_workload.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/strategy_world.h"

namespace orbweaver::lab {
namespace {

constexpr int kPartitions = 4;

std::unique_ptr<Strategy> Load(const std::string& name) {
  auto strategy = LoadStrategy({.name = name}, /*seed=*/1);
  EXPECT_OK(strategy);
  return *std::move(strategy);
}

// A crawl of two workers after one another, recorded.
class VerificationTest : public ::testing::Test {
 protected:
  VerificationTest() {
    PageWorkload workload({.hosts = 40, .known = 20, .links = 12, .fresh = 3});
    Append(workload.Seeds());
    for (int worker = 0; worker < 2; ++worker) {
      // The second one takes over and begins anew; its batches end elsewhere.
      StrategyWorld::Worker options;
      options.options.batch_events = worker == 0 ? 7 : 100;
      const auto strategy = Load("breadth_first");
      const auto core = world_.NewCore(*strategy, std::move(options));
      for (int i = 0; i < 200; ++i) {
        world_.clock.Advance(std::chrono::milliseconds(50));
        Append(workload.NextPage());
        EXPECT_OK(core->Step(std::chrono::milliseconds(20)));
      }
      // The first one dies with a batch in hand.
      if (worker == 1) EXPECT_OK(world_.RunUntilIdle(*core));
    }
  }

  void Append(const std::vector<PageWorkload::Entry>& entries) {
    for (const PageWorkload::Entry& entry : entries) {
      world_.AppendRaw(world_.PartitionOfDomain(entry.domain), entry.domain, entry.value);
    }
  }

  std::unique_ptr<Recording> Record(std::vector<std::string_view> topics, int64_t from = 0) {
    auto folder = *RecordingFolder::Open(scratch_.path() / "rec", {}, 1, world_.clock.Wall());
    Recorder recorder(folder.get(), *world_.suffixes, {});
    for (const std::string_view topic : topics) {
      for (int p = 0; p < kPartitions; ++p) {
        const LogRangeOf range{.topic = std::string(topic),
                               .partition = PartitionId(p),
                               .first = Offset(topic == kSpiderLogTopic ? from : 0),
                               .end = world_.EndOf(topic, PartitionId(p))};
        EXPECT_OK(folder->Begin({&range, 1}));
        EXPECT_OK(recorder.Record(world_.bus, range, [] { return true; }));
      }
    }
    EXPECT_OK(folder->Save());
    folder.reset();
    return *Recording::Open(scratch_.path() / "rec");
  }
  std::unique_ptr<Recording> RecordBoth() { return Record({kSpiderLogTopic, kScoringLogTopic}); }

  std::unique_ptr<ReplayWorker> NewWorker(Strategy& strategy) {
    auto worker = ReplayWorker::Create(
        {.strategy = strategy, .suffixes = *world_.suffixes, .partitions = kPartitions});
    EXPECT_OK(worker);
    return *std::move(worker);
  }
  absl::StatusOr<VerificationResult> Replay(const Recording& recording, Strategy& strategy) {
    return Verify(recording, *NewWorker(strategy), [](uint64_t) { return true; });
  }

  const ScratchFolder scratch_;
  StrategyWorld world_{kPartitions};
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
