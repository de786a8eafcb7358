#include "cli/frontier/partition_load.h"

#include <vector>

#include "cli/frontier/status_view.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/bus/topics.h"

namespace orbweaver {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A look at the strategy workers' log, whose partitions end where `ends` says.
FrontierStatus Look(int at_s, const std::vector<int64_t>& committed,
                    const std::vector<int64_t>& ends) {
  FrontierStatus status{.at = SteadyTime(seconds(at_s))};
  status.queue.partitions.resize(committed.size());
  status.queue.partitions.back().domains = 2;
  ReadTopic read{.group = kStrategyWorkerGroup, .topic = kSpiderLogTopic};
  for (size_t i = 0; i < committed.size(); ++i) {
    read.partitions.push_back({.end = ends[i], .committed = committed[i], .owner = {}});
  }
  status.reads.push_back(read);
  return status;
}
FrontierStatus Look(int at_s, const std::vector<int64_t>& committed) {
  return Look(at_s, committed, committed);
}

TEST(PartitionLoadTest, APartitionWithTwiceTheMeanIsHotAndNamed) {
  const FrontierStatus before = Look(10, {0, 500, 0, 0});
  const FrontierStatus now = Look(20, {100, 1100, 200, 100}, {100, 1400, 300, 100});
  const PartitionLoads loads = LoadsOf(before, now);
  ASSERT_EQ(loads.groups.size(), 1u);
  const auto& partitions = loads.groups[0].partitions;
  EXPECT_EQ(partitions[1].read_per_second, 60);
  EXPECT_EQ(partitions[1].share, 0.6);
  EXPECT_TRUE(partitions[1].is_hot);
  EXPECT_EQ(partitions[2].share, 0.2);
  EXPECT_FALSE(partitions[2].is_hot);
  EXPECT_THAT(loads.says, ElementsAre("partition 1 has 60 % of what the strategy workers read, "
                                      "2.4 times the mean, and 300 of the 400 messages unread"));
  EXPECT_THAT(StatusJson(before, now, loads),
              HasSubstr(R"("end":1400,"committed":1100,"lag":300,"owner":"","read_per_s":60,)"
                        R"("share":0.6,"is_hot":true})"));
  EXPECT_THAT(StatusJson(before, now, loads), HasSubstr(R"("hot_partitions":["partition 1 has)"));
  EXPECT_THAT(StatusText(before, now, loads),
              HasSubstr("hot: partition 1 has 60 % of what the strategy workers read"));
}

TEST(PartitionLoadTest, NoneIsHotWhereLittleIsReadOrItIsSpreadOrThereIsOne) {
  EXPECT_THAT(LoadsOf(Look(0, {0, 0, 0}), Look(10, {99, 0, 0})).says, IsEmpty());
  EXPECT_THAT(LoadsOf(Look(0, {0, 0, 0}), Look(10, {100, 0, 0})).says, testing::SizeIs(1));
  EXPECT_THAT(LoadsOf(Look(0, {0, 0, 0, 0}), Look(10, {490, 300, 110, 100})).says, IsEmpty());
  EXPECT_THAT(LoadsOf(Look(0, {0}), Look(10, {1000})).says, IsEmpty());
  FrontierStatus of_one_domain = Look(10, {1000, 0, 0});
  of_one_domain.queue.partitions.back().domains = 1;
  EXPECT_THAT(LoadsOf(Look(0, {0, 0, 0}), of_one_domain).says, IsEmpty());
}

TEST(PartitionLoadTest, OfOneLookOrALogThatWasSetBackNothingIsKnown) {
  const FrontierStatus look = Look(10, {500, 500});
  const PartitionLoads of_one = LoadsOf(look, look);
  EXPECT_EQ(of_one.groups[0].partitions[0].share, std::nullopt);
  EXPECT_THAT(StatusJson(look, look, of_one),
              HasSubstr(R"("read_per_s":0,"share":null,"is_hot":false})"));
  const PartitionLoads set_back = LoadsOf(look, Look(20, {0, 600}));
  EXPECT_EQ(set_back.groups[0].partitions[0].read_per_second, 0);
  EXPECT_EQ(set_back.groups[0].partitions[1].share, 1);
  EXPECT_EQ(LoadsOf({}, look).groups[0].partitions[1].share, std::nullopt);
}

}  // namespace
}  // namespace orbweaver
