// Strategy worker and db worker as processes, on a Kafka that hangs for longer than records are
// kept for: both wait or begin anew, neither ends, and each URL leaves the queue exactly once.
#include <memory>
#include <string>
#include <thread>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/bus/topics.h"
#include "common/url/partition.h"
#include "tests/support/cluster.h"
#include "tests/support/expect_ok.h"
#include "tests/support/page_workload.h"
#include "tests/support/real_services.h"
#include "tests/support/scoring_log_reader.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/spider_feed_reader.h"
#include "tests/support/worker_process.h"

namespace orbweaver {
namespace {

constexpr int kPartitions = 4;
constexpr Duration kPatience = std::chrono::minutes(4);
constexpr std::chrono::seconds kDeliveryTimeout(3);
constexpr auto kLookAgain = std::chrono::milliseconds(100);

// From construction to End.
class FrozenKafka {
 public:
  FrozenKafka() { RunServices("freeze kafka"); }
  ~FrozenKafka() { End(); }
  void End() {
    if (!ended_) RunServices("thaw kafka");
    ended_ = true;
  }

 private:
  bool ended_ = false;
};

class KafkaOutageTest : public ::testing::Test {
 protected:
  // Puts the seeds and `pages` pages of 60 links into the spider log.
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
        while (absl::IsResourceExhausted((*producer)->Send(record, 0))) {
          (*producer)->Poll(kPatience);
        }
      }
    };
    send(workload_.Seeds());
    for (int i = 0; i < pages; ++i) send(workload_.NextPage());
    ASSERT_OK((*producer)->Flush(kPatience));
    ASSERT_OK(failure);
  }

  std::unique_ptr<WorkerProcess> Start(const std::string& program, const std::string& name,
                                       std::initializer_list<std::string> options) {
    auto command = cluster_.Command(program);
    for (const std::string& option :
         {std::string("admin.port=0"), "worker.name=" + name,
          std::string("worker.session_timeout=6s"), std::string("stop.deadline=4m")}) {
      command.push_back("--set=" + option);
    }
    for (const std::string& option : options) command.push_back("--set=" + option);
    return std::make_unique<WorkerProcess>(command, (folder_.path() / (name + ".log")).string());
  }
  void StartBoth(const std::string& option) {
    strategy_ = Start(ORBWEAVER_STRATEGY_WORKER, "strategy",
                      {"strategy.name=breadth_first", "strategy_worker.batch_events=10",
                       "strategy_worker.bus_timeout=2s", option});
    db_ = Start(ORBWEAVER_DB_WORKER, "db",
                {"db_worker.roles=enqueue,dequeue", "politeness.delay=1ms", "feed.window=10s",
                 "feed.interval=20ms", "db_worker.call_timeout=2s", option});
  }

  bool AwaitRead(double share) {
    return cluster_.AwaitRead(kStrategyWorkerGroup, kSpiderLogTopic, share, kPatience,
                              {strategy_.get(), db_.get()});
  }

  // The spiders fetch all there is.
  void FetchAll(SpiderFeedReader& feed) {
    const size_t wanted = workload_.Urls().size();
    const SteadyTime deadline = SystemClock().Now() + kPatience;
    while (feed.sent().size() < wanted && strategy_->Running() && db_->Running()) {
      const absl::Status read = feed.ReadOn(kLookAgain);
      if (read.ok()) feed.Commit().IgnoreError();  // once more with the next
      ASSERT_LT(SystemClock().Now(), deadline)
          << feed.sent().size() << " of " << wanted << " URLs came";
    }
  }

  void ExpectNothingLostAndNothingTwice() {
    auto feed = SpiderFeedReader::Create(cluster_.bus(), kPartitions, kPatience);
    ASSERT_OK(feed);
    ASSERT_TRUE(AwaitRead(1));
    FetchAll(**feed);
    EXPECT_EQ(strategy_->Stop(kPatience), 0);
    EXPECT_EQ(db_->Stop(kPatience), 0);
    ScoringLogContents scheduled;
    ASSERT_OK(ReadScoringLog(cluster_.bus(), kPartitions, kPatience, &scheduled));
    const size_t wanted = workload_.Urls().size();
    EXPECT_EQ(scheduled.scheduled.size(), wanted);
    for (const auto& [url, times] : scheduled.scheduled) ASSERT_EQ(times, 1) << url;
    EXPECT_EQ((*feed)->sent().size(), wanted);
    EXPECT_EQ((*feed)->requests(), wanted);
    RecordProperty("markers", static_cast<int>(scheduled.markers));
  }

  const ScratchFolder folder_;
  TestCluster cluster_{ORBWEAVER_COMMAND, kPartitions};
  PageWorkload workload_{{.hosts = 200, .known = 20}};
  std::unique_ptr<WorkerProcess> strategy_;
  std::unique_ptr<WorkerProcess> db_;
};

TEST_F(KafkaOutageTest, ARecordThatIsGivenUpMakesAWorkerBeginAnewAndNothingIsLostOrSentTwice) {
  Write(1500);
  StartBoth(fmt::format("kafka.delivery_timeout={}s", kDeliveryTimeout.count()));
  // Its batches are small and follow each other closely. Where an outage meets none under way,
  // another one follows.
  bool begun_anew = false;
  for (const double share : {0.1, 0.25, 0.4, 0.55, 0.7}) {
    if (begun_anew) break;
    ASSERT_TRUE(AwaitRead(share));
    FrozenKafka frozen;
    begun_anew = strategy_->Says("begins anew", kDeliveryTimeout * 4);
  }
  EXPECT_TRUE(begun_anew);
  ExpectNothingLostAndNothingTwice();
}

TEST_F(KafkaOutageTest, TenMinutesWithoutKafkaAreSurvivedAndNothingIsLostOrSentTwice) {
  Write(3000);
  StartBoth("kafka.delivery_timeout=2m");
  ASSERT_TRUE(AwaitRead(0.2));
  FrozenKafka frozen;
  const SteadyTime back_at = SystemClock().Now() + std::chrono::minutes(10);
  while (SystemClock().Now() < back_at) {
    ASSERT_TRUE(strategy_->Running() && db_->Running());
    std::this_thread::sleep_for(kLookAgain);  // it is time that is the matter here
  }
  frozen.End();
  ExpectNothingLostAndNothingTwice();
}

}  // namespace
}  // namespace orbweaver
