#include "spider/politeness/back_off.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr BackOffOptions kExact{.jitter = 0};

class BackOffTest : public ::testing::Test {
 protected:
  // How long a complaint now blocks.
  Duration Complain(std::optional<Duration> retry_after = std::nullopt) {
    back_off_.Complain(kExact, retry_after, now_, random_);
    return back_off_.blocked_until() - now_;
  }

  BackOff back_off_;
  Random random_{1};
  SteadyTime now_{hours(1)};
};

TEST_F(BackOffTest, DoublesFromAMinuteToADay) {
  Duration wanted = seconds(60);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(Complain(), std::min<Duration>(wanted, hours(24))) << i;
    now_ = back_off_.blocked_until() + seconds(1);
    wanted *= 2;
    wanted = std::min<Duration>(wanted, hours(48));
  }
}

TEST_F(BackOffTest, HalfAnHourOfQuietIsForgiven) {
  Complain();
  now_ = back_off_.blocked_until() + minutes(30) - Duration(1);
  EXPECT_FALSE(back_off_.Forgiven(kExact, now_));
  EXPECT_EQ(Complain(), seconds(120));
  now_ = back_off_.blocked_until() + minutes(30);
  EXPECT_TRUE(back_off_.Forgiven(kExact, now_));
  EXPECT_EQ(Complain(), seconds(60));
}

TEST_F(BackOffTest, RetryAfterIsTakenAtItsWordUpToADay) {
  EXPECT_EQ(Complain(seconds(3)), seconds(3));
  now_ += seconds(3);
  EXPECT_EQ(Complain(seconds(4)), seconds(4));
  now_ += seconds(4);
  EXPECT_EQ(Complain(), seconds(60));
  now_ += seconds(60);
  EXPECT_EQ(Complain(hours(24 * 365)), hours(24));
}

TEST_F(BackOffTest, ALaterWordNeverShortensAnEarlierOne) {
  EXPECT_EQ(Complain(seconds(100)), seconds(100));
  now_ += seconds(1);
  EXPECT_EQ(Complain(seconds(1)), seconds(99));
  EXPECT_EQ(Complain(-seconds(5)), seconds(99));
}

TEST_F(BackOffTest, JitterAddsUpToATenthAndTakesNothingAway) {
  Duration least = Duration::max(), most{};
  for (int i = 0; i < 1000; ++i) {
    BackOff one;
    one.Complain({}, std::nullopt, now_, random_);
    least = std::min(least, one.blocked_until() - now_);
    most = std::max(most, one.blocked_until() - now_);
  }
  EXPECT_GE(least, seconds(60));
  EXPECT_LT(least, seconds(61));
  EXPECT_GT(most, seconds(65));
  EXPECT_LE(most, seconds(66));
}

TEST_F(BackOffTest, ADomainThatNeverComplainedIsForgiven) {
  EXPECT_TRUE(back_off_.Forgiven(kExact, now_));
}

}  // namespace
}  // namespace orbweaver
