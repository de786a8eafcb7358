#include "common/metrics/stage_clock.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using std::chrono::seconds;

TEST(StageClockTest, EachSecondIsInOneStateAndThoseOutsideInNone) {
  MetricRegistry registry;
  StageTimes times(registry, "test");
  ManualClock time;
  StageClock clock(times, time);
  time.Advance(seconds(100));
  {
    const StageScope step(clock, StageState::kBusy);
    time.Advance(seconds(1));
    {
      const StageScope poll(clock, StageState::kWaitsForInput);
      time.Advance(seconds(2));
      const StageScope inner(clock, StageState::kWaitsForOutput);
      time.Advance(seconds(4));
    }
    time.Advance(seconds(8));
  }
  time.Advance(seconds(100));
  EXPECT_EQ(times.busy.value(), 1 + 8);
  EXPECT_EQ(times.waits_for_input.value(), 2);
  EXPECT_EQ(times.waits_for_output.value(), 4);
  // A worker that is made anew goes on.
  StageTimes again(registry, "test");
  EXPECT_EQ(&again.busy, &times.busy);
}

}  // namespace
}  // namespace orbweaver
