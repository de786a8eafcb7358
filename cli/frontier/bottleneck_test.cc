#include "cli/frontier/bottleneck.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/bus/topics.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

// Ten seconds in which each group has read `read` messages and is `lag` behind.
class BottleneckTest : public ::testing::Test {
 protected:
  BottleneckTest() {
    before_.queue.partitions.resize(1);
    now_.queue.partitions.resize(1);
    now_.at = before_.at + std::chrono::seconds(10);
    for (const auto& [group, topic] :
         {std::pair(kStrategyWorkerGroup, kSpiderLogTopic),
          std::pair(kDbWorkerGroup, kScoringLogTopic), std::pair(kSpiderGroup, kSpiderFeedTopic)}) {
      for (FrontierStatus* const status : {&before_, &now_}) {
        status->reads.push_back({.group = group, .topic = topic, .partitions = {{}}});
      }
    }
  }
  void Set(std::string_view group, int64_t read, int64_t lag) {
    for (ReadTopic& topic : now_.reads) {
      if (topic.group == group) topic.partitions[0] = {.end = read + lag, .committed = read};
    }
  }
  PartitionReport& queue() { return now_.queue.partitions[0]; }
  Diagnosis Of() const { return Diagnose(before_, now_); }

  FrontierStatus before_, now_;
};

TEST_F(BottleneckTest, ThePlaceOfTheBacklogIsNamedAndTheFirstOneCounts) {
  queue().ready = 5;
  queue().waiting[0] = 100;
  Set(kSpiderGroup, 1000, 50'000);
  EXPECT_EQ(Of().bottleneck, Bottleneck::kSpiders);
  EXPECT_THAT(Of().says, HasSubstr("50,000 requests wait in the feed"));
  Set(kDbWorkerGroup, 1000, 50'000);
  EXPECT_EQ(Of().bottleneck, Bottleneck::kDbWorkers);
  Set(kStrategyWorkerGroup, 1000, 50'000);
  EXPECT_EQ(Of().bottleneck, Bottleneck::kStrategyWorkers);
}

TEST_F(BottleneckTest, AStageThatReadsItsLagWithinSecondsIsNotBehind) {
  queue().ready = 5;
  queue().waiting[0] = 100;
  Set(kSpiderGroup, 1'000'000, 50'000);  // half a second's worth
  EXPECT_EQ(Of().bottleneck, Bottleneck::kUnclear);
  Set(kSpiderGroup, 0, 100);
  EXPECT_EQ(Of().bottleneck, Bottleneck::kUnclear);
}

TEST_F(BottleneckTest, PolitenessIsNamedWhereMoreMachinesWouldNotHelp) {
  queue().waiting[0] = 1000;
  queue().paced = 412;
  queue().blocked = 18;
  EXPECT_EQ(Of().bottleneck, Bottleneck::kPoliteness);
  EXPECT_EQ(Of().says,
            "412 of 430 domains with requests wait for their delay, 18 are blocked: more machines "
            "would not help, more domains would");
  queue().paced = 0;
  EXPECT_EQ(Of().bottleneck, Bottleneck::kBlocks);
  queue().blocked = 0;
  queue().waiting[0] = 0;
  queue().delayed = 1;
  EXPECT_EQ(Of().bottleneck, Bottleneck::kLater);
}

TEST_F(BottleneckTest, ALogThatNobodyReadsIsNamedWhereMembersAreKnown) {
  queue().ready = 5;
  queue().waiting[0] = 100;
  Set(kDbWorkerGroup, 10, 3);
  EXPECT_EQ(Of().bottleneck, Bottleneck::kUnclear) << "a folder knows no members";
  now_.knows_members = true;
  EXPECT_EQ(Of().bottleneck, Bottleneck::kNobody);
  EXPECT_EQ(
      Of().says,
      "no worker of the group db-workers runs, with 3 messages unread in scoring-log: start one");
  now_.reads[1].members = 1;
  EXPECT_EQ(Of().bottleneck, Bottleneck::kUnclear);
}

TEST_F(BottleneckTest, ACrawlThatDoesNotRunSaysWhatIsLeft) {
  EXPECT_EQ(DiagnoseAtRest(now_).bottleneck, Bottleneck::kRest);
  EXPECT_EQ(DiagnoseAtRest(now_).says, "the crawl does not run, and nothing is left to fetch");
  queue().waiting[0] = 10;
  queue().delayed = 3;
  Set(kSpiderGroup, 0, 2);
  EXPECT_EQ(DiagnoseAtRest(now_).says,
            "the crawl does not run: `orbweaver crawl` on this folder goes on with 15 requests");
}

TEST_F(BottleneckTest, AnEmptyCrawlAndAPausedOneAreTold) {
  EXPECT_EQ(Of().bottleneck, Bottleneck::kNothing);
  Set(kSpiderGroup, 0, 1);
  EXPECT_EQ(Of().bottleneck, Bottleneck::kUnclear) << "a request is still being fetched";
  Set(kSpiderGroup, 1, 0);
  queue().waiting[0] = 10;
  queue().ready = 1;
  EXPECT_EQ(Of().bottleneck, Bottleneck::kQueue);
}

}  // namespace
}  // namespace orbweaver
