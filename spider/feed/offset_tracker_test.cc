#include "spider/feed/offset_tracker.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace orbweaver {
namespace {

TEST(OffsetTracker, CommitsNothingPastAnUnfinishedRequest) {
  OffsetTracker tracker(Offset(10));
  for (int64_t i = 10; i < 13; ++i) tracker.Begin(Offset(i));
  EXPECT_TRUE(tracker.Finish(Offset(11)));
  EXPECT_TRUE(tracker.Finish(Offset(12)));
  EXPECT_EQ(tracker.Committable(), Offset(10));
  EXPECT_EQ(tracker.Held(), 3);
  EXPECT_TRUE(tracker.Finish(Offset(10)));
  EXPECT_EQ(tracker.Committable(), Offset(13));
  EXPECT_EQ(tracker.Held(), 0);
}

TEST(OffsetTracker, BeforeAnythingBeginsTheCommittedOffsetStays) {
  const OffsetTracker tracker(Offset(7));
  EXPECT_EQ(tracker.Committable(), Offset(7));
  EXPECT_EQ(tracker.Held(), 0);
}

TEST(OffsetTracker, ALateSecondAnswerIsNotCountedAgain) {
  OffsetTracker tracker(Offset(0));
  tracker.Begin(Offset(0));
  tracker.Begin(Offset(1));
  EXPECT_TRUE(tracker.Finish(Offset(1)));
  EXPECT_FALSE(tracker.Finish(Offset(1)));
  EXPECT_TRUE(tracker.Finish(Offset(0)));
  EXPECT_FALSE(tracker.Finish(Offset(0)));
  EXPECT_FALSE(tracker.Finish(Offset(2)));
  EXPECT_FALSE(tracker.Finish(Offset(-1)));
  EXPECT_EQ(tracker.Committable(), Offset(2));
}

TEST(OffsetTracker, GapsOfTheLogHoldNothingBack) {
  OffsetTracker tracker(Offset(0));
  tracker.Begin(Offset(5));
  EXPECT_EQ(tracker.Committable(), Offset(5));
  tracker.Begin(Offset(9));
  EXPECT_FALSE(tracker.Finish(Offset(7)));
  EXPECT_TRUE(tracker.Finish(Offset(5)));
  EXPECT_EQ(tracker.Committable(), Offset(9));
  EXPECT_TRUE(tracker.Finish(Offset(9)));
  EXPECT_EQ(tracker.Committable(), Offset(10));
}

TEST(OffsetTracker, InAnyOrderTheCommittableOffsetIsTheOldestUnfinished) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    OffsetTracker tracker(Offset(0));
    std::set<int64_t> unfinished;
    int64_t next = 0;
    Offset before(0);
    for (int step = 0; step < 300; ++step) {
      if (unfinished.empty() || random.Chance(0.5)) {
        next += random.Chance(0.1) ? 1 + static_cast<int64_t>(random.Below(5)) : 0;
        tracker.Begin(Offset(next));
        unfinished.insert(next++);
      } else {
        auto one = unfinished.begin();
        std::advance(one, random.Below(unfinished.size()));
        ASSERT_TRUE(tracker.Finish(Offset(*one)));
        unfinished.erase(one);
      }
      const Offset wanted(unfinished.empty() ? next : *unfinished.begin());
      ASSERT_EQ(tracker.Committable(), wanted) << seed;
      ASSERT_GE(tracker.Committable(), before);
      ASSERT_EQ(tracker.Held(), next - wanted.value());
      before = tracker.Committable();
    }
  }
}

}  // namespace
}  // namespace orbweaver
