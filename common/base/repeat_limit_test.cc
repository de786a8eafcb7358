#include "common/base/repeat_limit.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using std::chrono::seconds;

TEST(RepeatLimitTest, CountsWhatItHidesAndTellsItOnceTheWindowIsOver) {
  RepeatLimit limit(2);
  const SteadyTime start{seconds(100)};
  EXPECT_TRUE(limit.Admit("bus", "broker {} is down", start));
  EXPECT_TRUE(limit.Admit("bus", "broker {} is down", start));
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(limit.Admit("bus", "broker {} is down", start + seconds(9)));
  }
  EXPECT_TRUE(limit.TakeOver(start + seconds(9)).empty());

  const auto over = limit.TakeOver(start + seconds(10));
  ASSERT_EQ(over.size(), 1u);
  EXPECT_EQ(over[0].module, "bus");
  EXPECT_EQ(over[0].format, "broker {} is down");
  EXPECT_EQ(over[0].count, 5);
  EXPECT_TRUE(limit.TakeOver(start + seconds(10)).empty());
  EXPECT_TRUE(limit.Admit("bus", "broker {} is down", start + seconds(10)));
}

TEST(RepeatLimitTest, OneNoisyLineHidesNoOther) {
  RepeatLimit limit(1);
  const SteadyTime now{seconds(100)};
  EXPECT_TRUE(limit.Admit("bus", "lost {}", now));
  EXPECT_FALSE(limit.Admit("bus", "lost {}", now));
  EXPECT_TRUE(limit.Admit("bus", "found {}", now));
  EXPECT_TRUE(limit.Admit("store", "lost {}", now));
}

TEST(RepeatLimitTest, AWindowThatEndsLaterIsStillToldLater) {
  RepeatLimit limit(1);
  for (const int at : {100, 105}) {
    const char* format = at == 100 ? "early" : "late";
    EXPECT_TRUE(limit.Admit("bus", format, SteadyTime(seconds(at))));
    EXPECT_FALSE(limit.Admit("bus", format, SteadyTime(seconds(at))));
  }
  ASSERT_EQ(limit.TakeOver(SteadyTime(seconds(110))).size(), 1u);
  const auto rest = limit.TakeOver(SteadyTime(seconds(115)));
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].format, "late");
}

TEST(RepeatLimitTest, AtTheEndTellsOfOpenWindowsToo) {
  RepeatLimit limit(1);
  limit.Admit("bus", "x", SteadyTime(seconds(100)));
  limit.Admit("bus", "x", SteadyTime(seconds(100)));
  ASSERT_EQ(limit.TakeAll().size(), 1u);
  EXPECT_TRUE(limit.TakeAll().empty());
}

TEST(RepeatLimitTest, WithoutALimitAllIsShown) {
  RepeatLimit limit(0);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(limit.Admit("bus", "x", SteadyTime{}));
  EXPECT_TRUE(limit.TakeAll().empty());
}

}  // namespace
}  // namespace orbweaver
