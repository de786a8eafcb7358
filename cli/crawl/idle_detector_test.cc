#include "cli/crawl/idle_detector.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using std::chrono::seconds;

constexpr WallTime kDue{std::chrono::hours(1000)};

SteadyTime At(int second) { return SteadyTime(seconds(second)); }

// A look at `second` at logs that end at `end` and are read, and at an empty queue of then.
IdleDetector::Sample Quiet(int second, int end) {
  return {.at = At(second),
          .read_ends = std::vector<Offset>{Offset(end)},
          .queue = {.at = At(second), .partitions = {PartitionReport{}, PartitionReport{}}}};
}

TEST(IdleDetectorTest, TwoLooksBetweenWhichNothingMovesShowThatNothingIsLeft) {
  IdleDetector idle(2);
  EXPECT_EQ(idle.IdleUntil(Quiet(1, 10)), std::nullopt);
  EXPECT_EQ(idle.IdleUntil(Quiet(2, 10)), WallTime::max());
  EXPECT_EQ(idle.IdleUntil(Quiet(3, 10)), WallTime::max());
}

TEST(IdleDetectorTest, ALogThatGrewWasWrittenByAWorkerThatIsAtWork) {
  IdleDetector idle(2);
  for (int i = 1; i < 5; ++i) EXPECT_EQ(idle.IdleUntil(Quiet(i, i)), std::nullopt);
  EXPECT_EQ(idle.IdleUntil(Quiet(5, 4)), WallTime::max());
}

TEST(IdleDetectorTest, WhatIsNotReadYetIsWork) {
  IdleDetector idle(2);
  EXPECT_EQ(idle.IdleUntil(Quiet(1, 10)), std::nullopt);
  IdleDetector::Sample unread = Quiet(2, 10);
  unread.read_ends.reset();
  EXPECT_EQ(idle.IdleUntil(unread), std::nullopt);
  // Also twice, and what was seen before it does not count any more.
  unread.at = unread.queue.at = At(3);
  EXPECT_EQ(idle.IdleUntil(unread), std::nullopt);
  EXPECT_EQ(idle.IdleUntil(Quiet(4, 10)), std::nullopt);
  EXPECT_EQ(idle.IdleUntil(Quiet(5, 10)), WallTime::max());
}

TEST(IdleDetectorTest, WhatTheSpiderHasInHandIsWork) {
  IdleDetector idle(2);
  EXPECT_EQ(idle.IdleUntil(Quiet(1, 10)), std::nullopt);
  IdleDetector::Sample held = Quiet(2, 10);
  held.held = 1;
  EXPECT_EQ(idle.IdleUntil(held), std::nullopt);
  EXPECT_EQ(idle.IdleUntil(Quiet(3, 10)), std::nullopt);
  EXPECT_EQ(idle.IdleUntil(Quiet(4, 10)), WallTime::max());
}

TEST(IdleDetectorTest, AQueueThatWasSeenBeforeAllWasQuietSaysNothing) {
  IdleDetector idle(2);
  EXPECT_EQ(idle.IdleUntil(Quiet(2, 10)), std::nullopt);
  IdleDetector::Sample sample = Quiet(3, 10);
  sample.queue.at = At(2);
  EXPECT_EQ(idle.IdleUntil(sample), std::nullopt);
  sample.queue.at = At(3);
  EXPECT_EQ(idle.IdleUntil(sample), WallTime::max());
}

TEST(IdleDetectorTest, AQueueWhosePartitionsAreNotAllThereSaysNothing) {
  IdleDetector idle(2);
  IdleDetector::Sample sample = Quiet(1, 10);
  sample.queue.partitions.pop_back();
  EXPECT_EQ(idle.IdleUntil(sample), std::nullopt);
  sample.at = sample.queue.at = At(2);
  EXPECT_EQ(idle.IdleUntil(sample), std::nullopt);
}

TEST(IdleDetectorTest, WhatIsForLaterIsDueWhenTheFirstOfItIs) {
  IdleDetector idle(3);
  IdleDetector::Sample sample = Quiet(1, 10);
  sample.queue.partitions.resize(3);
  sample.queue.partitions[0].next_due = kDue + seconds(5);
  sample.queue.partitions[1].next_due = kDue;
  EXPECT_EQ(idle.IdleUntil(sample), std::nullopt);
  sample.at = sample.queue.at = At(2);
  EXPECT_EQ(idle.IdleUntil(sample), kDue);
}

}  // namespace
}  // namespace orbweaver
