// The spider as a process on real Kafka, crawling the synthetic web: killed with -9 nothing is lost
// and little is fetched twice; stopped in good order nothing at all.
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/bus/topics.h"
#include "tests/support/cluster.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/spider_logs.h"
#include "tests/support/synthetic_web/server.h"
#include "tests/support/worker_process.h"

namespace orbweaver {
namespace {

constexpr int kPartitions = 4;
constexpr int kWindow = 200;
constexpr Duration kPatience = std::chrono::minutes(4);

class SpiderKillTest : public ::testing::Test {
 protected:
  // A crawl of `hosts` × `pages` requests is in the feed.
  void Feed(uint32_t hosts, uint32_t pages) {
    auto server = synthetic::Server::Start({.hosts = hosts, .pages_per_host = pages},
                                           {.listen = "0.0.0.0", .ports_in_urls = true});
    ASSERT_OK(server);
    server_ = *std::move(server);
    FeedWriter feed(cluster_.bus(), kPartitions, *suffixes_, kPatience);
    for (int p = 0; p < kPartitions; ++p) ASSERT_OK(feed.TakeOver(PartitionId(p)));
    for (uint32_t page = 0; page < pages; ++page) {
      for (uint32_t host = 0; host < hosts; ++host) {
        urls_.push_back(server_->web().paths().UrlOf(
            {.host = host, .number = page, .kind = synthetic::Place::Kind::kPage}));
        ASSERT_OK(feed.Add({.url = urls_.back()}));
      }
    }
    ASSERT_OK(feed.Flush());
  }

  // Its session is long enough that a machine that is busy does not end it. A spider without a
  // name gives its place up at once when it leaves.
  std::unique_ptr<WorkerProcess> Start(const std::string& log, const std::string& name = "") {
    std::vector<std::string> command = cluster_.Command(ORBWEAVER_SPIDER);
    // It has no store, and so no options of one.
    std::erase_if(command,
                  [](const std::string& word) { return word.starts_with("--set=hbase."); });
    for (const std::string& setting :
         {std::string("admin.port=0"), "worker.name=" + name,
          std::string("worker.session_timeout=60s"), std::string("network.allow_private=true"),
          fmt::format("network.ports={}", server_->port()), std::string("politeness.delay=20ms"),
          fmt::format("spider.window={}", kWindow), std::string("spider.drain_timeout=3s"),
          fmt::format("spider.archive.folder={}", (folder_.path() / "archive").string())}) {
      command.push_back("--set=" + setting);
    }
    std::istringstream hosts(server_->web().HostsFile());
    for (std::string address, host; hosts >> address >> host;) {
      command.push_back(fmt::format("--set=network.hosts.{}={}", host, address));
    }
    return std::make_unique<WorkerProcess>(command, (folder_.path() / (log + ".log")).string());
  }

  bool AwaitRead(double share, std::initializer_list<WorkerProcess*> workers) {
    return cluster_.AwaitRead(kSpiderGroup, kSpiderFeedTopic, share, kPatience, workers);
  }

  // How many outcomes there are beyond one for each request.
  int ExpectAnOutcomeForEach() {
    SpiderLogContents log;
    EXPECT_OK(ReadSpiderLog(cluster_.bus(), kPartitions, kPatience, &log));
    int missing = 0, repeated = 0;
    for (const std::string& url : urls_) {
      const auto found = log.by_url.find(url);
      if (found == log.by_url.end()) {
        ++missing;
      } else {
        repeated += found->second.all() - 1;
      }
    }
    EXPECT_EQ(missing, 0);
    EXPECT_EQ(log.by_url.size(), urls_.size());
    return repeated;
  }

  const ScratchFolder folder_;
  const std::unique_ptr<const PublicSuffixes> suffixes_ = PublicSuffixes::Load({}).value();
  TestCluster cluster_{ORBWEAVER_COMMAND, kPartitions};
  std::unique_ptr<synthetic::Server> server_;
  std::vector<std::string> urls_;
};

TEST_F(SpiderKillTest, KilledFiveTimesEachRequestHasAnOutcomeAndFewAreFetchedTwice) {
  constexpr int kKills = 5;
  Feed(100, 40);
  for (int kill = 1; kill <= kKills; ++kill) {
    auto spider = Start("only", "only");
    ASSERT_TRUE(AwaitRead(kill / (kKills + 2.0), {spider.get()}));
    spider->Kill();
  }
  auto spider = Start("only", "only");
  ASSERT_TRUE(AwaitRead(1, {spider.get()}));
  EXPECT_EQ(spider->Stop(kPatience), 0);
  EXPECT_LE(ExpectAnOutcomeForEach(), kKills * kWindow);
  // The successors of the dead spiders finished their open files.
  for (const auto& file : std::filesystem::directory_iterator(folder_.path() / "archive")) {
    EXPECT_NE(file.path().extension(), ".open") << file.path();
  }
}

TEST_F(SpiderKillTest, StoppedInGoodOrderItHandsBackWhatItHoldsAndNothingIsFetchedTwice) {
  Feed(100, 30);
  auto first = Start("first");
  ASSERT_TRUE(AwaitRead(0.3, {first.get()}));
  EXPECT_EQ(first->Stop(kPatience), 0);
  auto second = Start("second");
  ASSERT_TRUE(AwaitRead(1, {second.get()}));
  EXPECT_EQ(second->Stop(kPatience), 0);
  EXPECT_EQ(ExpectAnOutcomeForEach(), 0);
}

}  // namespace
}  // namespace orbweaver
