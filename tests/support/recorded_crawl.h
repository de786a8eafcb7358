// A crawl of a made-up web by two workers after one another, and its recording: for tests of
// lab/replay.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "common/bus/topics.h"
#include "lab/recording/recorder.h"
#include "lab/recording/recording.h"
#include "lab/recording/recording_folder.h"
#include "lab/replay/replay_worker.h"
#include "strategy_worker/host/loader.h"
#include "tests/support/expect_ok.h"
#include "tests/support/page_workload.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/strategy_world.h"

namespace orbweaver::lab {

inline std::unique_ptr<Strategy> Load(const std::string& name) {
  auto strategy = LoadStrategy({.name = name}, /*seed=*/1);
  EXPECT_OK(strategy);
  return *std::move(strategy);
}

class RecordedCrawl : public ::testing::Test {
 protected:
  static constexpr int kPartitions = 4;

  RecordedCrawl() {
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
      // The first one dies with a batch in hand; the second one decides later than all events.
      world_.clock.Advance(std::chrono::seconds(1));
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
  const ScratchFolder scratch_;
  StrategyWorld world_{kPartitions};
};

}  // namespace orbweaver::lab
