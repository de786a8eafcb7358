#include "common/politeness/rest.h"

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/random.h"

namespace orbweaver {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr RestOptions kExact{.jitter = 0};

class RestTest : public ::testing::Test {
 protected:
  // How long the domain rests from now on.
  Duration BackOff(const RestOptions& options = kExact) {
    rest_.BackOff(options, "a.test", now_);
    return rest_.until - now_;
  }
  Duration RestFor(Duration asked) {
    rest_.RestUntil(kExact, now_ + RestAsAsked(kExact, asked), now_);
    return rest_.until - now_;
  }

  DomainRest<SteadyTime> rest_;
  SteadyTime now_{hours(1)};
};

TEST_F(RestTest, DoublesFromAMinuteToADay) {
  Duration wanted = seconds(60);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(BackOff(), std::min<Duration>(wanted, hours(24))) << i;
    now_ = rest_.until + seconds(1);
    wanted = std::min<Duration>(2 * wanted, hours(24));
  }
}

TEST_F(RestTest, HalfAnHourOfQuietIsForgiven) {
  BackOff();
  now_ = rest_.until + minutes(30) - Duration(1);
  EXPECT_FALSE(rest_.IsForgiven(kExact, now_));
  EXPECT_EQ(BackOff(), seconds(120));
  now_ = rest_.until + minutes(30);
  EXPECT_TRUE(rest_.IsForgiven(kExact, now_));
  EXPECT_EQ(BackOff(), seconds(60));
}

TEST_F(RestTest, ARestThatWasAskedForIsNoQuiet) {
  BackOff();
  now_ = rest_.until;
  EXPECT_EQ(RestFor(hours(1)), hours(1));
  now_ = rest_.until + minutes(29);
  EXPECT_EQ(BackOff(), seconds(120));
}

TEST_F(RestTest, FailuresThatWereUnderWayCountOnce) {
  EXPECT_EQ(BackOff(), seconds(60));
  now_ += seconds(59);
  EXPECT_EQ(BackOff(), seconds(1));
  EXPECT_EQ(rest_.back_offs, 1);
}

TEST_F(RestTest, RetryAfterIsTakenAtItsWordUpToADay) {
  EXPECT_EQ(RestFor(seconds(3)), seconds(3));
  now_ += seconds(3);
  EXPECT_EQ(RestFor(seconds(4)), seconds(4));
  now_ += seconds(4);
  EXPECT_EQ(BackOff(), seconds(60));
  now_ += seconds(60);
  EXPECT_EQ(RestFor(hours(24 * 365)), hours(24));
}

TEST_F(RestTest, ALaterWordNeverShortensAnEarlierOne) {
  EXPECT_EQ(RestFor(seconds(100)), seconds(100));
  now_ += seconds(1);
  EXPECT_EQ(RestFor(seconds(1)), seconds(99));
  EXPECT_EQ(RestFor(-seconds(5)), seconds(99));
  EXPECT_EQ(BackOff(), seconds(99));
}

TEST_F(RestTest, AnOperatorLiftsAndForgives) {
  BackOff();
  rest_.Lift();
  EXPECT_TRUE(rest_.IsForgiven(kExact, now_));
  EXPECT_EQ(BackOff(), seconds(60));
}

TEST_F(RestTest, JitterAddsUpToATenthTakesNothingAwayAndDiffersBetweenDomains) {
  Duration least = Duration::max(), most{};
  for (int i = 0; i < 1000; ++i) {
    const Duration rest = RestAfter({}, fmt::format("d{}.test", i), 0);
    least = std::min(least, rest);
    most = std::max(most, rest);
  }
  EXPECT_GE(least, seconds(60));
  EXPECT_LT(least, seconds(61));
  EXPECT_GT(most, seconds(65));
  EXPECT_LE(most, seconds(66));
}

TEST_F(RestTest, ADomainThatNeverRestedIsForgiven) {
  EXPECT_TRUE(rest_.IsForgiven(kExact, now_));
  EXPECT_TRUE(DomainRest<WallTime>().IsForgiven(kExact, WallTime()));
}

// A damaged or foreign head may say anything.
TEST_F(RestTest, AnyCountOfBackOffsRestsForTheLongestTime) {
  rest_ = {.until = now_, .backed_off_until = now_, .back_offs = 255};
  EXPECT_EQ(BackOff(), hours(24));
  EXPECT_EQ(rest_.back_offs, 255);
  now_ = rest_.until;
  EXPECT_EQ(BackOff({.first = hours(24 * 7), .jitter = 0}), hours(24));
}

// Whatever happens in whatever order, what the site was promised holds.
TEST(RestProperty, NoRestIsCutShortOrLongerThanItsBound) {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    Random random(seed);
    const RestOptions options{.first = milliseconds(1 + random.Below(100'000)),
                              .most = milliseconds(1 + random.Below(10'000'000)),
                              .jitter = random.Unit(),
                              .forgiven_after = milliseconds(random.Below(10'000'000))};
    const auto jitter = static_cast<double>(options.most.count()) * options.jitter;
    const auto longest =
        std::chrono::ceil<milliseconds>(options.most + Duration(static_cast<int64_t>(jitter)));
    const auto shortest =
        std::chrono::duration_cast<milliseconds>(std::min(options.first, options.most));
    DomainRest<WallTime> rest;
    WallTime now{hours(24 * 365 * 50)};
    for (int i = 0; i < 100; ++i) {
      now += milliseconds(random.Below(random.Chance(0.2) ? 20'000'000 : 50'000));
      const DomainRest<WallTime> before = rest;
      if (random.Chance(0.5)) {
        rest.BackOff(options, "a.test", now);
        if (now >= before.backed_off_until) ASSERT_GE(rest.until, now + shortest) << seed;
        // Others that fail while it backs off change nothing.
        const DomainRest<WallTime> once = rest;
        rest.BackOff(options, "a.test", now);
        ASSERT_EQ(rest, once) << seed;
      } else {
        const milliseconds asked(random.Below(20'000'000));
        const Duration granted = RestAsAsked(options, asked);
        ASSERT_EQ(granted, std::min<Duration>(asked, options.most)) << seed;
        const WallTime end = now + std::chrono::ceil<milliseconds>(granted);
        rest.RestUntil(options, end, now);
        ASSERT_GE(rest.until, end) << seed;
      }
      ASSERT_GE(rest.until, before.until) << seed;
      ASSERT_LE(rest.until, std::max(before.until, now + longest)) << seed;
      if (rest.IsForgiven(options, now)) ASSERT_LE(rest.until, now) << seed;
    }
  }
}

}  // namespace
}  // namespace orbweaver
