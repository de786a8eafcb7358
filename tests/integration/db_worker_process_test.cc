// The db worker as a process with all its roles: what it keeps of pages, and what operators see and
// do.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/url/partition.h"
#include "tests/support/cluster.h"
#include "tests/support/expect_ok.h"
#include "tests/support/page_workload.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/worker_process.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

constexpr int kPartitions = 4;
constexpr int kHosts = 20;
constexpr Duration kPatience = std::chrono::minutes(4);

// A command's output and exit code.
struct Ran {
  std::string output;
  int exit_code;
};
Ran RunCommand(const std::string& command) {
  Ran ran{.exit_code = -1};
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return ran;
  char part[4096];
  for (size_t n; (n = fread(part, 1, sizeof part, pipe)) > 0;) ran.output.append(part, n);
  ran.exit_code = WEXITSTATUS(pclose(pipe));
  return ran;
}

class DbWorkerProcessTest : public ::testing::Test {
 protected:
  void WritePages(int pages) {
    absl::Status failure;
    auto producer =
        cluster_.bus().NewProducer({}, [&failure](const Ack& ack) { failure.Update(ack.status); });
    ASSERT_OK(producer);
    for (int i = 0; i < pages; ++i) {
      for (const PageWorkload::Entry& entry : workload_.NextPage()) {
        const Record record{.topic = kSpiderLogTopic,
                            .partition = PartitionOf(SlotOf(entry.domain), kPartitions),
                            .key = entry.domain,
                            .value = entry.value};
        while (IsRetry((*producer)->Send(record, 0))) (*producer)->Poll(kPatience);
      }
    }
    ASSERT_OK((*producer)->Flush(kPatience));
    ASSERT_OK(failure);
  }

  std::unique_ptr<WorkerProcess> Start() {
    auto command = cluster_.Command(ORBWEAVER_DB_WORKER);
    for (const char* const option : {"admin.port=0", "admin.token=secret", "worker.name=only",
                                     "stop.deadline=4m", "worker.session_timeout=6s"}) {
      command.push_back(std::string("--set=") + option);
    }
    return std::make_unique<WorkerProcess>(command, log_path_);
  }

  Ran Orbweaver(const std::string& command) {
    std::string line;
    for (const std::string& word : cluster_.Command(ORBWEAVER_COMMAND)) line += word + " ";
    return RunCommand(line.insert(line.find(' '), " " + command) + " 2>&1");
  }

  // Where the worker that was started last has its admin server; empty until it says so.
  std::string AdminAddress() const {
    std::ifstream file(log_path_);
    std::stringstream text;
    text << file.rdbuf();
    const std::string log = text.str();
    const std::string before = "admin server on ";
    const size_t at = log.rfind(before);
    if (at == std::string::npos) return {};
    const size_t begin = at + before.size();
    return log.substr(begin, log.find_first_of(" \n", begin) - begin);
  }
  std::string Get(const std::string& path) const {
    return RunCommand("curl -s http://" + AdminAddress() + path).output;
  }
  std::string Post(const std::string& action, const std::string& authorization) const {
    return RunCommand("curl -s -X POST -w ' %{http_code}' " + authorization + " http://" +
                      AdminAddress() + "/actions/" + action)
        .output;
  }
  // Asks again and again: a page of the admin server announces no changes.
  bool AwaitText(WorkerProcess& worker, const std::string& path, const std::string& text) {
    const SteadyTime deadline = SystemClock().Now() + kPatience;
    std::string got;
    while (SystemClock().Now() < deadline && worker.Running()) {
      got = AdminAddress().empty() ? std::string() : Get(path);
      if (got.find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ADD_FAILURE() << path << " says " << got;
    return false;
  }

  const ScratchFolder folder_;
  const std::string log_path_ = (folder_.path() / "worker.log").string();
  TestCluster cluster_{ORBWEAVER_COMMAND, kPartitions};
  PageWorkload workload_{{.hosts = kHosts, .known = 60}};
};

TEST_F(DbWorkerProcessTest, KeepsEachPageAlsoWhenItIsKilled) {
  WritePages(600);
  for (const double share : {0.1, 0.5}) {
    auto worker = Start();
    ASSERT_TRUE(cluster_.AwaitRead(kPagesGroup, kSpiderLogTopic, share, kPatience, {worker.get()}));
    worker->Kill();
  }
  WritePages(600);
  auto worker = Start();
  ASSERT_TRUE(cluster_.AwaitRead(kPagesGroup, kSpiderLogTopic, 1, kPatience, {worker.get()}));
  const std::string url = "https://www.site0003.test/articles/2007/an-entry-of-some-length-7.html";
  const Ran page = Orbweaver("page " + url);
  EXPECT_EQ(page.exit_code, 0) << page.output;
  EXPECT_THAT(page.output, HasSubstr("\"title\":\"A page\""));
  EXPECT_EQ(Orbweaver("page https://www.site0003.test/never").exit_code, 1);
  // All pages of a host of this workload have one content.
  const Ran same = Orbweaver("page --same " + url);
  EXPECT_EQ(std::count(same.output.begin(), same.output.end(), '\n'), 1200 / kHosts) << same.output;
  EXPECT_EQ(worker->Stop(kPatience), 0);
}

TEST_F(DbWorkerProcessTest, OperatorsSeeItsPartitionsAndPauseThemWithATokenOnly) {
  auto worker = Start();
  ASSERT_TRUE(AwaitText(*worker, "/readyz", "ready\n"));
  ASSERT_TRUE(AwaitText(*worker, "/metrics", "\norbweaver_queue_partitions 4\n"));
  EXPECT_THAT(Get("/status"), HasSubstr("\"partition\":3,"));
  EXPECT_THAT(Post("pause?partition=2", ""), HasSubstr(" 401"));
  EXPECT_THAT(Post("pause?partition=2", "-H 'Authorization: Bearer secret'"), HasSubstr(" 200"));
  EXPECT_TRUE(AwaitText(*worker, "/metrics", "\norbweaver_feed_partitions_paused 1\n"));
  EXPECT_EQ(worker->Stop(kPatience), 0);
}

TEST_F(DbWorkerProcessTest, HalfARoleIsRefusedBeforeAnyServerIsAsked) {
  const Ran ran = RunCommand(std::string(ORBWEAVER_DB_WORKER) + " --roles enqueue 2>&1");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.output, HasSubstr("give one worker both enqueue and dequeue"));
}

}  // namespace
}  // namespace orbweaver
