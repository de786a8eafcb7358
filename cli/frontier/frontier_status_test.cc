// The commands' view of a folder, while the one who works on it has it open.
#include "cli/frontier/frontier_status.h"

#include <memory>
#include <string>
#include <vector>

#include "cli/frontier/inspect.h"
#include "cli/frontier/live_workers.h"
#include "cli/frontier/status_view.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/embedded/embedded_bus.h"
#include "common/bus/topics.h"
#include "common/model/encode_buffer.h"
#include "common/model/stats.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

constexpr Duration kLong = std::chrono::minutes(1);

class FrontierStatusTest : public ::testing::Test {
 protected:
  FrontierStatusTest() {
    database_ = *Database::Open({.folder = data_});
    bus_ = *EmbeddedBus::Open(*database_, SystemClock());
    TopicOptions topics;
    topics.partitions = 2;
    EXPECT_OK(bus_->EnsureTopics(*ProductTopics(topics), kLong));
  }
  void Append(std::string_view topic, int32_t partition, std::string_view value, int count = 1) {
    const auto producer = *bus_->NewProducer({}, [](const Ack&) {});
    for (int i = 0; i < count; ++i) {
      ASSERT_OK(producer->Send({topic, PartitionId(partition), "k", value, {}}, 0));
    }
    ASSERT_OK(producer->Flush(kLong));
  }
  void Commit(std::string_view group, std::string_view topic, int32_t partition, int64_t offset) {
    const auto consumer = *bus_->NewConsumer({.group = std::string(group)});
    const AssignedPartition from{.partition = PartitionId(partition)};
    ASSERT_OK(consumer->Assign(topic, {&from, 1}));
    const OffsetCommit commit{PartitionId(partition), Offset(offset), ""};
    ASSERT_OK(consumer->Commit({&commit, 1}, kLong));
  }
  FrontierStatus Look() {
    auto frontier = Frontier::Open({}, data_);
    EXPECT_OK(frontier);
    auto status = LookAt(**frontier, 0);
    EXPECT_OK(status);
    return *std::move(status);
  }

  const ScratchFolder folder_;
  const std::filesystem::path data_ = folder_.path() / "data";
  std::unique_ptr<Database> database_;
  std::unique_ptr<EmbeddedBus> bus_;
};

TEST_F(FrontierStatusTest, LagIsWhatAGroupHasNotDealtWithYet) {
  Append(kSpiderLogTopic, 1, "x", 10);
  Commit(kStrategyWorkerGroup, kSpiderLogTopic, 1, 4);
  Append(kDeadLetterTopic, 0, "x", 3);
  const FrontierStatus status = Look();
  ASSERT_EQ(status.reads.size(), 3u);  // no role `pages`
  EXPECT_EQ(status.reads[0].group, kStrategyWorkerGroup);
  EXPECT_EQ(status.reads[0].partitions[0].lag(), 0);
  EXPECT_EQ(status.reads[0].partitions[1].lag(), 6);
  EXPECT_EQ(status.dead_letters, 3);
}

TEST_F(FrontierStatusTest, RatesAreWhatHasChangedBetweenTwoLooks) {
  Append(kSpiderFeedTopic, 0, "x", 10);
  FrontierStatus before = Look();
  Append(kSpiderFeedTopic, 0, "x", 20);
  Commit(kSpiderGroup, kSpiderFeedTopic, 0, 30);
  FrontierStatus now = Look();
  now.at = before.at + std::chrono::seconds(10);
  const std::string text = StatusJson(before, now, LoadsOf(before, now));
  EXPECT_THAT(text, HasSubstr(R"("group":"spiders","topic":"spider-feed","lag":0,"members":0,)"
                              R"("written_per_s":2,"read_per_s":3)"));
  EXPECT_THAT(StatusText(before, now, {}), HasSubstr("spiders"));
}

TEST_F(FrontierStatusTest, EachOwnersPartitionsAreTold) {
  FrontierStatus status{.reads = {{.group = "spiders", .topic = "spider-feed", .members = 2}},
                        .queue = {.partitions = std::vector<PartitionReport>(6)},
                        .suffix_list_date = "2026-10-22"};
  for (const char* const owner : {"a", "a", "a", "b", "", "a"}) {
    status.reads[0].partitions.push_back({.owner = owner});
  }
  const std::string text = StatusText(status, status, {});
  EXPECT_THAT(text, ::testing::ContainsRegex("  a +0-2,5\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("  b +3\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("  nobody +4\n"));
  EXPECT_THAT(text, HasSubstr("public suffix list: of 2026-10-22\n"));
  EXPECT_THAT(StatusJson(status, status, LoadsOf(status, status)),
              HasSubstr(R"("suffix_list_date":"2026-10-22")"));
}

TEST_F(FrontierStatusTest, OfWhatIsNotKnownNothingIsMadeUp) {
  const auto frontier = Frontier::Open({}, data_);
  ASSERT_OK(frontier);
  const auto suffixes = PublicSuffixes::Load({});
  UrlResolver resolver({}, **suffixes);
  ResolvedUrl url;
  ASSERT_EQ(resolver.Resolve("http://www.a.test/x", &url), UrlError::kNone);
  const auto of_url = ReadUrlFacts((*frontier)->store(), url, 2, {});
  ASSERT_OK(of_url);
  EXPECT_THAT(UrlJson(*of_url), HasSubstr(R"("url":"http://www.a.test/x","domain":"a.test")"));
  EXPECT_THAT(UrlJson(*of_url),
              HasSubstr(R"("link":null,"failure":null,"queued":null,"page":null})"));
  const auto of_domain = ReadDomainFacts((*frontier)->store(), "a.test", 2, {});
  ASSERT_OK(of_domain);
  EXPECT_THAT(
      DomainJson(*of_domain, WallTime()),
      HasSubstr(
          R"("record":null,"urls":null,"robots":{"files":[],"has_more":false},"queue":null})"));
}

TEST_F(FrontierStatusTest, AWorkerIsWhereItsLastReportSays) {
  EncodeBuffer buffer;
  for (const char* const address : {"old:1", "new:1"}) {
    const auto report = Encode(
        WorkerStats{.worker_id = "db-1", .role = "db-worker", .admin_address = address}, &buffer);
    ASSERT_OK(report);
    Append(kStatsTopic, 0, *report);
  }
  const auto spider = Encode(WorkerStats{.worker_id = "s", .role = "spider"}, &buffer);
  ASSERT_OK(spider);
  Append(kStatsTopic, 0, *spider);
  Append(kStatsTopic, 0, "no report");
  const auto workers = LiveWorkers(*bus_, "db-worker", kLong);
  ASSERT_OK(workers);
  ASSERT_EQ(workers->size(), 1u);
  EXPECT_EQ(workers->front().admin_address, "new:1");
}

TEST_F(FrontierStatusTest, AFolderWithoutACrawlIsNamed) {
  const auto frontier = Frontier::Open({}, folder_.path());
  EXPECT_THAT(std::string(MessageOf(frontier.status())), HasSubstr(folder_.path().string()));
}

}  // namespace
}  // namespace orbweaver
