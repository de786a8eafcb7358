// Topics that were made anew under the workers' rows, on real Kafka and HBase: workers refuse them,
// `orbweaver init` says so, and goes on with them when it is told to.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

#include "common/base/check.h"
#include "common/bus/topics.h"
#include "common/url/partition.h"
#include "tests/support/cluster.h"
#include "tests/support/expect_ok.h"
#include "tests/support/page_workload.h"
#include "tests/support/real_services.h"
#include "tests/support/scoring_log_reader.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/worker_process.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

constexpr int kPartitions = 2;
constexpr Duration kPatience = std::chrono::minutes(4);
constexpr std::string_view kLoopTopics[] = {kSpiderLogTopic, kScoringLogTopic, kSpiderFeedTopic};

class NewTopicsTest : public ::testing::Test {
 protected:
  struct Ended {
    int code = -1;
    std::string output;
  };
  // Runs a program of the product to its end.
  Ended Run(const std::string& program, const std::string& arguments) {
    std::string command = "timeout 120";
    for (const std::string& word : cluster_.Command(program)) {
      command += " " + word;
      if (word == program) command += " " + arguments;
    }
    const std::string file = (folder_.path() / "output").string();
    const int status = std::system((command + " > " + file + " 2>&1").c_str());
    std::ostringstream output;
    output << std::ifstream(file).rdbuf();
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output.str()};
  }

  void Send(std::string_view topic, const std::vector<PageWorkload::Entry>& entries) {
    absl::Status failure;
    auto producer =
        cluster_.bus().NewProducer({}, [&failure](const Ack& ack) { failure.Update(ack.status); });
    ASSERT_OK(producer);
    for (const PageWorkload::Entry& entry : entries) {
      ASSERT_OK((*producer)->Send({.topic = topic,
                                   .partition = PartitionOf(SlotOf(entry.domain), kPartitions),
                                   .key = entry.domain,
                                   .value = entry.value},
                                  0));
    }
    ASSERT_OK((*producer)->Flush(kPatience));
    ASSERT_OK(failure);
  }
  void WritePages(int pages) {
    for (int i = 0; i < pages; ++i) Send(kSpiderLogTopic, workload_.NextPage());
  }

  // The strategy worker reads all there is, and stops.
  void ReadAll() {
    auto command = cluster_.Command(ORBWEAVER_STRATEGY_WORKER);
    for (const char* option : {"--set=admin.port=0", "--set=strategy.name=breadth_first"}) {
      command.emplace_back(option);
    }
    WorkerProcess worker(command, (folder_.path() / "worker.log").string());
    ASSERT_TRUE(cluster_.AwaitRead(kStrategyWorkerGroup, kSpiderLogTopic, 1, kPatience, {&worker}));
    ASSERT_EQ(worker.Stop(kPatience), 0);
  }

  // As Terraform does it.
  void MakeTopicsAnew() {
    const std::string brokers = ServiceAddress("ORBWEAVER_KAFKA");
    rd_kafka_conf_t* const conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", brokers.c_str(), nullptr, 0);
    rd_kafka_t* const client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0);
    CHECK(client != nullptr);
    rd_kafka_queue_t* const queue = rd_kafka_queue_new(client);
    std::vector<rd_kafka_DeleteTopic_t*> topics;
    for (const std::string_view topic : kLoopTopics) {
      topics.push_back(rd_kafka_DeleteTopic_new((cluster_.prefix() + std::string(topic)).c_str()));
    }
    rd_kafka_DeleteTopics(client, topics.data(), topics.size(), nullptr, queue);
    rd_kafka_event_t* const event = rd_kafka_queue_poll(queue, 60'000);
    ASSERT_NE(event, nullptr);
    EXPECT_EQ(rd_kafka_event_error(event), RD_KAFKA_RESP_ERR_NO_ERROR);
    rd_kafka_event_destroy(event);
    rd_kafka_DeleteTopic_destroy_array(topics.data(), topics.size());
    rd_kafka_queue_destroy(queue);
    rd_kafka_destroy(client);
    ASSERT_OK(cluster_.bus().EnsureTopics(*ProductTopics({.partitions = kPartitions}), kPatience));
  }

  void ExpectRefused() {
    const Ended init = Run(ORBWEAVER_COMMAND, "init --partitions 2");
    EXPECT_EQ(init.code, 1) << init.output;
    EXPECT_THAT(init.output, HasSubstr("topic spider-log partition 0: the store knows"));
    EXPECT_THAT(init.output, HasSubstr("init --accept-new-topics"));
    const Ended worker = Run(ORBWEAVER_STRATEGY_WORKER, "--set=admin.port=0");
    EXPECT_EQ(worker.code, 1) << worker.output;
    EXPECT_THAT(worker.output, HasSubstr("init --accept-new-topics"));
    const Ended db = Run(ORBWEAVER_DB_WORKER, "--set=admin.port=0");
    EXPECT_EQ(db.code, 1) << db.output;
    EXPECT_THAT(db.output, HasSubstr("init --accept-new-topics"));
  }

  const ScratchFolder folder_;
  TestCluster cluster_{ORBWEAVER_COMMAND, kPartitions};
  PageWorkload workload_{{.hosts = 20, .known = 5}};
};

TEST_F(NewTopicsTest, MadeAnewTheyAreRefusedUntilTheyAreAcceptedAndThenNothingIsInvisible) {
  Send(kSpiderLogTopic, workload_.Seeds());
  WritePages(20);
  ReadAll();
  EXPECT_EQ(Run(ORBWEAVER_COMMAND, "init --partitions 2").code, 0);
  const std::vector<std::string> known = workload_.Urls();

  MakeTopicsAnew();
  ExpectRefused();
  // Grown beyond all that the store knows of the spider log.
  WritePages(60);
  ExpectRefused();

  const Ended accepted = Run(ORBWEAVER_COMMAND, "init --partitions 2 --accept-new-topics");
  EXPECT_EQ(accepted.code, 0) << accepted.output;
  EXPECT_THAT(accepted.output, HasSubstr("topic epoch 2"));
  const Ended once_more = Run(ORBWEAVER_COMMAND, "init --partitions 2");
  EXPECT_EQ(once_more.code, 0) << once_more.output;
  ReadAll();
  // A URL that the new log names for the first time is scheduled once: no put was lost to an older
  // row.
  ScoringLogContents contents;
  ASSERT_OK(ReadScoringLog(cluster_.bus(), kPartitions, kPatience, &contents));
  size_t fresh = 0;
  for (const std::string& url : workload_.Urls()) {
    if (std::find(known.begin(), known.end(), url) != known.end()) continue;
    ++fresh;
    ASSERT_EQ(contents.scheduled[url], 1) << url;
  }
  EXPECT_GT(fresh, 0u);
}

}  // namespace
}  // namespace orbweaver
