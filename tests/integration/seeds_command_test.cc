// `orbweaver seeds add` on real Kafka: every seed of a large file is in the log, and nothing else.
#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/bus/topics.h"
#include "common/model/arena.h"
#include "common/model/spider_log.h"
#include "tests/support/cluster.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

constexpr int kPartitions = 4;
constexpr int kSeeds = 100'000;
constexpr int kDomains = 500;
constexpr Duration kPatience = std::chrono::minutes(2);

TEST(SeedsCommandTest, EverySeedOfALargeFileIsInTheLogAndBadLinesAreNamed) {
  TestCluster cluster(ORBWEAVER_COMMAND, kPartitions);
  const ScratchFolder folder;
  const std::string file = (folder.path() / "seeds.txt").string();
  const std::string complaints = (folder.path() / "stderr").string();
  {
    std::ofstream out(file);
    out << "# seeds\n\nftp://nope.example/\n";
    for (int i = 0; i < kSeeds; ++i) out << fmt::format("http://d{}.example/{}\n", i % kDomains, i);
    ASSERT_TRUE(out.good());
  }
  std::string command;
  for (const std::string& word : cluster.Command(ORBWEAVER_COMMAND)) command += word + " ";
  command.insert(std::string(ORBWEAVER_COMMAND).size(), " seeds add " + file);
  const int status = std::system((command + " > /dev/null 2> " + complaints).c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1) << "a line was refused";
  std::string line;
  std::getline(std::ifstream(complaints) >> std::ws, line);
  EXPECT_EQ(line, file + ":3: scheme: ftp://nope.example/");

  std::vector<int> seen(kSeeds);
  auto offsets = cluster.bus().NewOffsetReader();
  ASSERT_OK(offsets);
  for (int32_t p = 0; p < kPartitions; ++p) {
    const PartitionId partition(p);
    const auto bounds = (*offsets)->Bounds(kSpiderLogTopic, {&partition, 1}, kPatience);
    ASSERT_OK(bounds);
    auto consumer = cluster.bus().NewConsumer({.group = "reader"});
    ASSERT_OK(consumer);
    const AssignedPartition from{.partition = partition, .position = bounds->front().start};
    ASSERT_OK((*consumer)->Assign(kSpiderLogTopic, {&from, 1}));
    MessageBatch batch;
    for (Offset at = from.position; at < bounds->front().end;) {
      ASSERT_OK((*consumer)->Poll({}, kPatience, &batch));
      ASSERT_FALSE(batch.empty());
      for (const Message& message : batch.messages()) {
        at = message.offset + 1;
        Arena arena;
        SpiderLogEntry entry;
        ASSERT_OK(Decode(message.value, &arena, &entry));
        for (const Seed& seed : std::get<Seeds>(entry.event).seeds) {
          const int number = std::stoi(std::string(seed.url.substr(seed.url.rfind('/') + 1)));
          ASSERT_EQ(seed.url, fmt::format("http://d{}.example/{}", number % kDomains, number));
          ++seen.at(static_cast<size_t>(number));
        }
      }
    }
  }
  for (int i = 0; i < kSeeds; ++i) ASSERT_EQ(seen[static_cast<size_t>(i)], 1) << i;
}

}  // namespace
}  // namespace orbweaver
