// The db worker as a process on real Kafka and HBase: killed with -9, HBase killed under it, joined
// by another, frozen until it has lost its partitions. Whatever happens, every request leaves
// exactly once, and no domain gets more than its share.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/scoring_log.h"
#include "common/url/fingerprint.h"
#include "common/url/partition.h"
#include "tests/support/cluster.h"
#include "tests/support/expect_ok.h"
#include "tests/support/real_services.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/spider_feed_reader.h"
#include "tests/support/worker_process.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

constexpr int kPartitions = 4;
constexpr int kInMessage = 10;
constexpr Duration kPatience = std::chrono::minutes(5);
constexpr milliseconds kDelay(50);
constexpr int kInBatch = 5;  // of a domain: 1 + window / delay

class DbWorkerKillTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto reader = SpiderFeedReader::Create(cluster_.bus(), kPartitions, kPatience);
    ASSERT_OK(reader);
    feed_ = *std::move(reader);
    auto producer =
        cluster_.bus().NewProducer({}, [this](const Ack& ack) { failure_.Update(ack.status); });
    ASSERT_OK(producer);
    producer_ = *std::move(producer);
  }

  // Puts `requests` for each of `domains` domains into the scoring log, ten a message.
  void Schedule(int domains, int requests) {
    EncodeBuffer buffer;
    for (int first = 0; first < requests; first += kInMessage) {
      for (int d = 0; d < domains; ++d) {
        const std::string domain = "site-" + std::to_string(d) + ".com";
        std::vector<std::string> urls;
        for (int i = 0; i < kInMessage; ++i) {
          urls.push_back("https://" + domain + "/page-" + std::to_string(next_url_++) + ".html");
        }
        std::vector<ScheduledRequest> scheduled;
        for (const std::string& url : urls) {
          const auto score = static_cast<float>(scheduled.size()) / kInMessage;
          scheduled.push_back({.url = url, .fingerprint = FingerprintOf(url), .score = score});
        }
        scheduled_ += urls.size();
        const auto value = Encode(
            ScoringLogEntry{.epoch = Offset(0),
                            .entry = ScheduleRequests{.source_topic_epoch = 1,
                                                      .source_offset = Offset(next_source_++),
                                                      .domain = domain,
                                                      .requests = scheduled}},
            &buffer);
        ASSERT_OK(value);
        const Record record{.topic = kScoringLogTopic,
                            .partition = PartitionOf(SlotOf(domain), kPartitions),
                            .key = domain,
                            .value = *value};
        while (IsRetry(producer_->Send(record, 0))) producer_->Poll(kPatience);
      }
    }
    ASSERT_OK(producer_->Flush(kPatience));
    ASSERT_OK(failure_);
  }

  std::unique_ptr<WorkerProcess> Start(const std::string& name) {
    auto command = cluster_.Command(ORBWEAVER_DB_WORKER);
    command.push_back("--roles=enqueue,dequeue");
    for (const std::string& option :
         {std::string("admin.port=0"), "worker.name=" + name, std::string("politeness.delay=50ms"),
          std::string("worker.session_timeout=6s"), std::string("stop.deadline=4m"),
          std::string("feed.window=200ms"), std::string("feed.interval=20ms"),
          std::string("db_worker.checkpoint_interval=500ms")}) {
      command.push_back("--set=" + option);
    }
    return std::make_unique<WorkerProcess>(command, (folder_.path() / (name + ".log")).string());
  }

  // The spiders go on until `done`; meanwhile `workers` must live.
  template <typename Done>
  bool Fetch(std::initializer_list<WorkerProcess*> workers, Done done) {
    const SteadyTime deadline = SystemClock().Now() + kPatience;
    while (!done()) {
      const absl::Status read = feed_->ReadOn(milliseconds(50));
      const absl::Status committed = read.ok() ? feed_->Commit() : read;
      if (!committed.ok() && !IsRetry(committed)) {
        ADD_FAILURE() << committed;
        return false;
      }
      for (WorkerProcess* const worker : workers) {
        if (!worker->Running()) return false;
      }
      if (SystemClock().Now() < deadline) continue;
      ADD_FAILURE() << feed_->requests() << " of " << scheduled_ << " requests came";
      return false;
    }
    return true;
  }
  bool FetchUntil(double share, std::initializer_list<WorkerProcess*> workers) {
    const auto wanted = static_cast<uint64_t>(share * static_cast<double>(scheduled_));
    return Fetch(workers, [&] { return feed_->requests() >= wanted; });
  }
  // Until somebody took a partition over. The spiders stop when they have fetched `most` of all,
  // so that there is something left to hand over.
  bool AwaitTakeOver(double most, std::initializer_list<WorkerProcess*> workers) {
    const uint64_t before = feed_->markers();
    const auto stop_at = static_cast<uint64_t>(most * static_cast<double>(scheduled_));
    const auto taken = [&] { return feed_->markers() > before; };
    if (!Fetch(workers, [&] { return taken() || feed_->requests() >= stop_at; })) return false;
    const SteadyTime deadline = SystemClock().Now() + kPatience;
    while (!taken() && SystemClock().Now() < deadline) {
      const absl::Status read = feed_->ReadOn(milliseconds(50));
      if (!read.ok() && !IsRetry(read)) ADD_FAILURE() << read;
    }
    EXPECT_TRUE(taken());
    return taken();
  }

  // The guarantee that all tests here hold. Reads on for a moment, for requests that should not
  // come.
  void ExpectEachSentOnceWithinItsShare() {
    const SteadyTime until = SystemClock().Now() + std::chrono::seconds(1);
    ASSERT_TRUE(Fetch({}, [&] { return SystemClock().Now() >= until; }));
    EXPECT_EQ(feed_->sent().size(), scheduled_);
    EXPECT_EQ(feed_->requests(), scheduled_);
    for (const auto& [domain, times] : feed_->sent_to()) {
      EXPECT_EQ(Excess(times), "") << domain;
      if (HasFailure()) break;
    }
    RecordProperty("markers", static_cast<int>(feed_->markers()));
    RecordProperty("of_old_epochs", static_cast<int>(feed_->of_old_epochs()));
  }

  // Whatever two requests one looks at, what left from the one to the other is a batch's share and
  // one for each delay between them; a clock's tick more.
  static std::string Excess(const std::vector<WallTime>& times) {
    constexpr milliseconds kTick(5);
    for (size_t i = 0; i < times.size(); ++i) {
      for (size_t j = i; j < times.size(); ++j) {
        const auto allowed = kInBatch + (times[j] - times[i] + kTick) / kDelay;
        if (static_cast<int64_t>(j - i + 1) <= allowed) continue;
        return std::to_string(j - i + 1) + " requests within " +
               std::to_string((times[j] - times[i]).count()) + " ms";
      }
    }
    return {};
  }

  const ScratchFolder folder_;
  TestCluster cluster_{ORBWEAVER_COMMAND, kPartitions};
  std::unique_ptr<SpiderFeedReader> feed_;
  absl::Status failure_;
  std::unique_ptr<Producer> producer_;
  int64_t next_source_ = 0;
  int next_url_ = 0;
  uint64_t scheduled_ = 0;
};

TEST_F(DbWorkerKillTest, KilledTwiceItSendsEachRequestOnce) {
  for (int kill = 1; kill <= 2; ++kill) {
    Schedule(/*domains=*/500, /*requests=*/20);
    auto worker = Start("only");
    ASSERT_TRUE(FetchUntil(0.7, {worker.get()}));
    worker->Kill();
  }
  auto worker = Start("only");
  ASSERT_TRUE(FetchUntil(1, {worker.get()}));
  EXPECT_EQ(worker->Stop(kPatience), 0);
  ExpectEachSentOnceWithinItsShare();
}

TEST_F(DbWorkerKillTest, JoinedAndLeftByAnotherItSendsEachRequestOnce) {
  Schedule(500, 60);
  auto first = Start("first");
  ASSERT_TRUE(FetchUntil(0.1, {first.get()}));
  auto second = Start("second");
  ASSERT_TRUE(AwaitTakeOver(0.5, {first.get(), second.get()}));
  Schedule(500, 20);
  ASSERT_TRUE(FetchUntil(0.7, {first.get(), second.get()}));
  EXPECT_EQ(second->Stop(kPatience), 0);
  ASSERT_TRUE(FetchUntil(1, {first.get()}));
  EXPECT_EQ(first->Stop(kPatience), 0);
  ExpectEachSentOnceWithinItsShare();
}

TEST_F(DbWorkerKillTest, FrozenUntilAnotherHasItsPartitionsItSendsEachRequestOnce) {
  Schedule(500, 60);
  auto zombie = Start("zombie");
  ASSERT_TRUE(FetchUntil(0.2, {zombie.get()}));
  kill(zombie->pid(), SIGSTOP);
  auto second = Start("second");
  ASSERT_TRUE(FetchUntil(0.6, {second.get()}));
  kill(zombie->pid(), SIGCONT);
  ASSERT_TRUE(FetchUntil(1, {zombie.get(), second.get()}));
  EXPECT_EQ(zombie->Stop(kPatience), 0);
  EXPECT_EQ(second->Stop(kPatience), 0);
  ExpectEachSentOnceWithinItsShare();
}

TEST_F(DbWorkerKillTest, KilledSixTimesAndHBaseOnceItSendsEachOf200000RequestsOnce) {
  constexpr int kKills = 6, kDomains = 2000, kOfEach = 100, kParts = 5;
  constexpr uint64_t kAll = kDomains * kOfEach;
  for (int kill = 1; kill <= kKills; ++kill) {
    // New messages, so that enqueue is at work too when it dies.
    if (kill <= kParts) Schedule(kDomains, kOfEach / kParts);
    auto worker = Start("only");
    if (kill == 3) {
      ASSERT_TRUE(FetchUntil(0.6, {worker.get()}));
      RunServices("kill hbase");
      RunServices("restart hbase");
    }
    ASSERT_TRUE(FetchUntil(kill < kKills ? 0.8 : 0.9, {worker.get()}));
    worker->Kill();
  }
  auto worker = Start("only");
  ASSERT_TRUE(FetchUntil(1, {worker.get()}));
  EXPECT_EQ(worker->Stop(kPatience), 0);
  EXPECT_EQ(scheduled_, kAll);
  ExpectEachSentOnceWithinItsShare();
}

}  // namespace
}  // namespace orbweaver
