// The strategy worker as a process on real Kafka and HBase: killed with -9, joined by another,
// frozen until it has lost its partitions. Whatever happens, every URL is scheduled exactly once.
#include <csignal>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "common/bus/topics.h"
#include "common/url/partition.h"
#include "tests/support/cluster.h"
#include "tests/support/expect_ok.h"
#include "tests/support/page_workload.h"
#include "tests/support/scoring_log_reader.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/worker_process.h"

namespace orbweaver {
namespace {

constexpr int kPartitions = 4;
constexpr Duration kPatience = std::chrono::minutes(4);

class StrategyWorkerKillTest : public ::testing::Test {
 protected:
  // Puts `pages` pages of 60 links into the spider log; before the first, the seeds.
  void Write(int pages) {
    absl::Status failure;
    auto producer =
        cluster_.bus().NewProducer({}, [&failure](const Ack& ack) { failure.Update(ack.status); });
    ASSERT_OK(producer);
    const auto send = [&](const std::vector<PageWorkload::Entry>& entries) {
      for (const PageWorkload::Entry& entry : entries) {
        const Record record{.topic = kSpiderLogTopic,
                            .partition = PartitionOf(SlotOf(entry.domain), kPartitions),
                            .key = entry.domain,
                            .value = entry.value};
        while (absl::IsResourceExhausted((*producer)->Send(record, 0)))
          (*producer)->Poll(kPatience);
      }
    };
    if (!std::exchange(is_seeded_, true)) send(workload_.Seeds());
    for (int i = 0; i < pages; ++i) send(workload_.NextPage());
    ASSERT_OK((*producer)->Flush(kPatience));
    ASSERT_OK(failure);
  }

  std::unique_ptr<WorkerProcess> Start(const std::string& name) {
    auto command = cluster_.Command(ORBWEAVER_STRATEGY_WORKER);
    command.push_back("--set=admin.port=0");
    command.push_back("--set=worker.name=" + name);
    command.push_back("--set=worker.session_timeout=6s");
    command.push_back("--set=strategy.name=breadth_first");
    return std::make_unique<WorkerProcess>(command, (folder_.path() / (name + ".log")).string());
  }

  bool AwaitRead(double share, std::initializer_list<WorkerProcess*> workers) {
    return cluster_.AwaitRead(kStrategyWorkerGroup, kSpiderLogTopic, share, kPatience, workers);
  }

  // The guarantee that all tests here hold.
  void ExpectEachUrlScheduledOnce() {
    ScoringLogContents contents;
    ASSERT_OK(ReadScoringLog(cluster_.bus(), kPartitions, kPatience, &contents));
    uint64_t missing = 0, more_than_once = 0;
    for (const std::string& url : workload_.Urls()) {
      const auto it = contents.scheduled.find(url);
      missing += it == contents.scheduled.end();
    }
    for (const auto& [url, times] : contents.scheduled) more_than_once += times > 1;
    EXPECT_EQ(missing, 0u);
    EXPECT_EQ(more_than_once, 0u);
    EXPECT_EQ(contents.scheduled.size(), workload_.Urls().size());
    RecordProperty("markers", static_cast<int>(contents.markers));
    RecordProperty("of_old_epochs", static_cast<int>(contents.of_old_epochs));
    RecordProperty("repeated", static_cast<int>(contents.repeated));
  }

  const ScratchFolder folder_;
  TestCluster cluster_{ORBWEAVER_COMMAND, kPartitions};
  PageWorkload workload_{{.hosts = 200, .known = 60}};
  bool is_seeded_ = false;
};

TEST_F(StrategyWorkerKillTest, KilledSixTimesItSchedulesEachUrlOnce) {
  Write(8000);
  for (int kill = 1; kill <= 6; ++kill) {
    auto worker = Start("only");
    ASSERT_TRUE(AwaitRead(kill / 7.0, {worker.get()}));
    worker->Kill();
  }
  auto worker = Start("only");
  ASSERT_TRUE(AwaitRead(1, {worker.get()}));
  EXPECT_EQ(worker->Stop(kPatience), 0);
  ExpectEachUrlScheduledOnce();
}

TEST_F(StrategyWorkerKillTest, JoinedAndLeftByAnotherItSchedulesEachUrlOnce) {
  Write(2000);
  auto first = Start("first");
  ASSERT_TRUE(AwaitRead(0.2, {first.get()}));
  auto second = Start("second");
  ASSERT_TRUE(second->AwaitOutput("owns partition", kPatience));
  Write(2000);
  ASSERT_TRUE(AwaitRead(0.7, {first.get(), second.get()}));
  EXPECT_EQ(second->Stop(kPatience), 0);
  ASSERT_TRUE(AwaitRead(1, {first.get()}));
  EXPECT_EQ(first->Stop(kPatience), 0);
  ExpectEachUrlScheduledOnce();
}

TEST_F(StrategyWorkerKillTest, FrozenUntilAnotherHasItsPartitionsItSchedulesEachUrlOnce) {
  Write(4000);
  auto zombie = Start("zombie");
  ASSERT_TRUE(AwaitRead(0.2, {zombie.get()}));
  kill(zombie->pid(), SIGSTOP);
  auto second = Start("second");
  ASSERT_TRUE(second->AwaitOutput("owns partition", kPatience));
  ASSERT_TRUE(AwaitRead(0.7, {second.get()}));
  kill(zombie->pid(), SIGCONT);
  ASSERT_TRUE(AwaitRead(1, {zombie.get(), second.get()}));
  EXPECT_EQ(zombie->Stop(kPatience), 0);
  EXPECT_EQ(second->Stop(kPatience), 0);
  ExpectEachUrlScheduledOnce();
}

}  // namespace
}  // namespace orbweaver
