#include "common/base/clock.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(ManualClockTest, MovesBothClocksByTheSameSumOfSmallSteps) {
  ManualClock clock;
  const SteadyTime steady = clock.Now();
  const WallTime wall = clock.Wall();
  for (int i = 0; i < 1000; ++i) clock.Advance(std::chrono::microseconds(1500));
  EXPECT_EQ(clock.Now() - steady, std::chrono::milliseconds(1500));
  EXPECT_EQ(clock.Wall() - wall, std::chrono::milliseconds(1500));
}

TEST(ManualClockTest, AJumpOfTheWallLeavesTheSteadyClockAlone) {
  ManualClock clock;
  const SteadyTime steady = clock.Now();
  clock.JumpWall(std::chrono::hours(-1));
  EXPECT_EQ(clock.Now(), steady);
}

TEST(SystemClockTest, NeverGoesBack) {
  const SteadyTime first = SystemClock().Now();
  EXPECT_GE(SystemClock().Now(), first);
}

}  // namespace
}  // namespace orbweaver
