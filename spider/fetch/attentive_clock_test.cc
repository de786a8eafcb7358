#include "spider/fetch/attentive_clock.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(AttentiveClockTest, PassesAsTheClockDoesWhileSomebodyLooks) {
  ManualClock clock;
  AttentiveClock patience(clock, milliseconds(100));
  const SteadyTime began = patience.Now();
  for (int i = 0; i < 50; ++i) {
    clock.Advance(milliseconds(60));
    EXPECT_EQ(patience.Now() - began, milliseconds(60 * (i + 1)));
    patience.Look();
    EXPECT_EQ(patience.Now() - began, milliseconds(60 * (i + 1)));
  }
}

TEST(AttentiveClockTest, TimeInWhichNobodyLookedPassesForNobody) {
  ManualClock clock;
  AttentiveClock patience(clock, milliseconds(100));
  const SteadyTime began = patience.Now();
  clock.Advance(hours(1));
  EXPECT_EQ(patience.Now() - began, milliseconds(100));
  patience.Look();
  EXPECT_EQ(patience.Now() - began, milliseconds(100));
  clock.Advance(milliseconds(30));
  EXPECT_EQ(patience.Now() - began, milliseconds(130));
}

}  // namespace
}  // namespace orbweaver
