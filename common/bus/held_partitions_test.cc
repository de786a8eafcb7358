#include "common/bus/held_partitions.h"

#include "fmt/format.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using ::testing::ElementsAre;

constexpr PartitionId kOne(1);
constexpr PartitionId kTwo(2);

LogBounds TenToTwenty(PartitionId) { return {Offset(10), Offset(20)}; }

TEST(HeldPartitionsTest, ACutIsReportedOnceAndTheOthersGoOn) {
  HeldPartitions held;
  held.Take(kOne, Offset(9));
  held.Take(kTwo, Offset(20));
  EXPECT_TRUE(absl::IsOutOfRange(held.CheckPositions("log", TenToTwenty)));
  EXPECT_OK(held.CheckPositions("log", TenToTwenty));
  EXPECT_FALSE(held.Find(kOne)->is_read());
  EXPECT_TRUE(held.Find(kTwo)->is_read());
}

TEST(HeldPartitionsTest, ALogThatEndsBelowThePositionIsACutToo) {
  HeldPartitions held;
  held.Take(kOne, Offset(21));
  EXPECT_TRUE(absl::IsOutOfRange(held.CheckPositions("log", TenToTwenty)));
}

TEST(HeldPartitionsTest, OnlyACommitWithinTheLogResumesWhatStandsStill) {
  HeldPartitions held;
  held.Take(kOne, Offset(3));
  held.Take(kTwo, Offset(15));
  EXPECT_FALSE(held.CheckPositions("log", TenToTwenty).ok());
  const auto commit = [&](int64_t offset) {
    const OffsetCommit commits[] = {{kOne, Offset(offset), ""}, {kTwo, Offset(12), ""}};
    return held.Resume(commits, TenToTwenty);
  };
  EXPECT_THAT(commit(9), ElementsAre());
  EXPECT_THAT(commit(21), ElementsAre());
  EXPECT_THAT(commit(20), ElementsAre(kOne));
  EXPECT_EQ(held.Find(kOne)->position, Offset(20));
  // A commit moves nothing that is read.
  EXPECT_EQ(held.Find(kTwo)->position, Offset(15));
}

TEST(HeldPartitionsTest, APausedPartitionIsNotLookedAtAndStaysPaused) {
  HeldPartitions held;
  held.Take(kOne, Offset(3));
  EXPECT_TRUE(*held.SetPaused("log", kOne, true));
  EXPECT_FALSE(*held.SetPaused("log", kOne, true));
  EXPECT_OK(held.CheckPositions("log", TenToTwenty));
  EXPECT_TRUE(*held.SetPaused("log", kOne, false));
  EXPECT_FALSE(held.CheckPositions("log", TenToTwenty).ok());
  EXPECT_TRUE(IsFenced(held.SetPaused("log", kTwo, true).status()));
}

TEST(HeldPartitionsTest, WhatIsTakenAnewForgetsPauseAndCut) {
  HeldPartitions held;
  held.Take(kOne, Offset(3));
  EXPECT_FALSE(held.CheckPositions("log", TenToTwenty).ok());
  EXPECT_OK(held.SetPaused("log", kOne, true));
  held.Take(kOne, Offset(11));
  EXPECT_TRUE(held.Find(kOne)->is_read());
}

// Says what it was asked and told, in their order.
class Told : public GroupSide, public RebalanceListener {
 public:
  explicit Told(HeldPartitions& held) : held_(held) {}

  Standing CheckStanding() override { return standing; }
  void Join() override {
    standing = Standing::kMember;
    words.emplace_back("join");
  }
  std::vector<PartitionId> MeantForOthers(std::span<const PartitionId>) override { return others; }
  void Release(std::span<const PartitionId> ids) override { Say("release", ids.size()); }
  absl::StatusOr<std::vector<AssignedPartition>> TakeMine(std::span<const PartitionId>) override {
    return mine;
  }

  void OnAssigned(std::span<const AssignedPartition> ids) override { Say("assigned", ids.size()); }
  void OnRevoked(std::span<const PartitionId> ids) override { Say("revoked", ids.size()); }
  void OnLost(std::span<const PartitionId> ids) override { Say("lost", ids.size()); }

  Standing standing = Standing::kMember;
  std::vector<PartitionId> others;
  std::vector<AssignedPartition> mine;
  std::vector<std::string> words;

 private:
  void Say(std::string_view word, size_t count) {
    words.push_back(fmt::format("{} {}, holds {}", word, count, held_.ids().size()));
  }

  HeldPartitions& held_;
};

class RebalanceTest : public ::testing::Test {
 protected:
  bool Round() { return *Rebalance(told_, told_, &held_); }

  HeldPartitions held_;
  Told told_{held_};
};

TEST_F(RebalanceTest, WhatIsRevokedIsHeldUntilTheListenerHasFlushed) {
  held_.Take(kOne, Offset(1));
  told_.others = {kOne};
  told_.mine = {{kTwo, Offset(5), "", true}};
  EXPECT_TRUE(Round());
  EXPECT_THAT(told_.words,
              ElementsAre("revoked 1, holds 1", "release 1, holds 0", "assigned 1, holds 1"));
  EXPECT_EQ(held_.Find(kTwo)->position, Offset(5));
}

TEST_F(RebalanceTest, AMemberThatIsGoneLosesAllAndJoinsAgain) {
  held_.Take(kOne, Offset(1));
  told_.standing = GroupSide::Standing::kGone;
  told_.mine = {{kOne, Offset(5), "", true}};
  EXPECT_TRUE(Round());
  EXPECT_THAT(told_.words, ElementsAre("lost 1, holds 0", "join", "assigned 1, holds 1"));
}

TEST_F(RebalanceTest, AMemberThatIsFencedLosesAllAndTakesNothing) {
  held_.Take(kOne, Offset(1));
  told_.standing = GroupSide::Standing::kFenced;
  told_.mine = {{kOne, Offset(5), "", true}};
  EXPECT_TRUE(Round());
  EXPECT_FALSE(Round());
  EXPECT_THAT(told_.words, ElementsAre("lost 1, holds 0"));
}

TEST_F(RebalanceTest, NothingChangesNothingIsTold) {
  held_.Take(kOne, Offset(1));
  EXPECT_FALSE(Round());
  EXPECT_THAT(told_.words, ElementsAre());
}

TEST_F(RebalanceTest, WhoClosesGivesUpWhatIsItsAndCommitsNothingThatIsNot) {
  held_.Take(kOne, Offset(1));
  ReleaseAll(told_, told_, &held_);
  EXPECT_THAT(told_.words, ElementsAre("revoked 1, holds 1"));
  EXPECT_TRUE(held_.empty());
  held_.Take(kOne, Offset(1));
  told_.standing = GroupSide::Standing::kGone;
  ReleaseAll(told_, told_, &held_);
  EXPECT_EQ(told_.words.back(), "lost 1, holds 1");
  ReleaseAll(told_, told_, &held_);
  EXPECT_EQ(told_.words.size(), 2u);
}

}  // namespace
}  // namespace orbweaver
