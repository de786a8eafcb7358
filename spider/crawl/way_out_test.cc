#include "spider/crawl/way_out.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr OwnSide kSide = OwnSide::kProxy;
SteadyTime At(Duration after) { return SteadyTime(std::chrono::hours(1)) + after; }

TEST(WayOutTest, ItClosesWithTheFirstFailureAndSaysWhy) {
  WayOut way;
  EXPECT_TRUE(way.MayStart(At(seconds(0))));
  EXPECT_TRUE(way.OnSuspect(kSide, "refused", At(seconds(0)), At(seconds(1))));
  ASSERT_TRUE(way.closed().has_value());
  EXPECT_EQ(way.closed()->side, kSide);
  EXPECT_EQ(way.closed()->message, "refused");
  EXPECT_FALSE(way.MayStart(At(seconds(1))));
}

TEST(WayOutTest, WhatHasWorkedMeanwhileForOthersIsNotAtFault) {
  WayOut way;
  way.OnWorked(kSide, At(seconds(5)));
  EXPECT_FALSE(way.OnSuspect(kSide, "502", At(seconds(4)), At(seconds(6))));
  EXPECT_FALSE(way.closed().has_value());
  // Of another part that says nothing, nor of a fetch that began later.
  EXPECT_TRUE(way.OnSuspect(OwnSide::kNameServers, "none", At(seconds(4)), At(seconds(6))));
  WayOut later;
  later.OnWorked(kSide, At(seconds(5)));
  EXPECT_TRUE(later.OnSuspect(kSide, "502", At(seconds(6)), At(seconds(7))));
}

TEST(WayOutTest, OneAtATimeTriesItAtGrowingIntervals) {
  WayOut way;
  SteadyTime now = At(seconds(0));
  ASSERT_TRUE(way.OnSuspect(kSide, "refused", now, now));
  for (const int interval : {1, 2, 4, 8, 16, 30, 30}) {
    EXPECT_FALSE(way.MayStart(now + seconds(interval) - milliseconds(1)));
    EXPECT_EQ(way.NextProbe(), now + seconds(interval));
    now += seconds(interval);
    ASSERT_TRUE(way.MayStart(now));
    way.OnStarted();
    EXPECT_FALSE(way.MayStart(now + seconds(100)));
    ASSERT_TRUE(way.OnSuspect(kSide, "refused", now, now));
  }
  // One that was under way when it closed is no try.
  ASSERT_TRUE(way.OnSuspect(kSide, "refused", At(seconds(-1)), now));
  EXPECT_EQ(way.NextProbe(), now + seconds(30));
}

TEST(WayOutTest, ATryThatGetsPastOpensItAndOneThatLearntNothingDoesNot) {
  WayOut way;
  ASSERT_TRUE(way.OnSuspect(kSide, "refused", At(seconds(0)), At(seconds(0))));
  way.OnStarted();
  way.OnNothingLearnt(At(seconds(1)));
  EXPECT_TRUE(way.closed().has_value());
  EXPECT_TRUE(way.MayStart(At(seconds(2))));
  way.OnPassed(At(seconds(-1)));  // began before it closed
  EXPECT_TRUE(way.closed().has_value());
  way.OnStarted();
  way.OnPassed(At(seconds(2)));
  EXPECT_FALSE(way.closed().has_value());
  EXPECT_TRUE(way.MayStart(At(seconds(2))));
}

TEST(WayOutTest, ALateAnswerOverThePartAtFaultOpensIt) {
  WayOut way;
  ASSERT_TRUE(way.OnSuspect(kSide, "refused", At(seconds(0)), At(seconds(0))));
  way.OnWorked(OwnSide::kNetwork, At(seconds(1)));
  EXPECT_TRUE(way.closed().has_value());
  way.OnWorked(kSide, At(seconds(1)));
  EXPECT_FALSE(way.closed().has_value());
}

}  // namespace
}  // namespace orbweaver
