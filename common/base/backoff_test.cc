#include "common/base/backoff.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(BackoffTest, DoublesUpToItsBoundWithoutJitter) {
  Backoff backoff({.first = milliseconds(100), .most = milliseconds(350), .jitter = 0}, 1);
  EXPECT_EQ(backoff.Next(), milliseconds(100));
  EXPECT_EQ(backoff.Next(), milliseconds(200));
  EXPECT_EQ(backoff.Next(), milliseconds(350));
  EXPECT_EQ(backoff.Next(), milliseconds(350));
}

TEST(BackoffTest, StartsAgainAfterASuccess) {
  Backoff backoff({.first = milliseconds(100), .jitter = 0}, 1);
  backoff.Next();
  backoff.Next();
  backoff.Reset();
  EXPECT_EQ(backoff.Next(), milliseconds(100));
}

TEST(BackoffTest, TheBoundHoldsForTheFirstWaitToo) {
  Backoff backoff({.first = milliseconds(500), .most = milliseconds(350), .jitter = 0}, 1);
  EXPECT_EQ(backoff.Next(), milliseconds(350));
}

TEST(BackoffTest, JitterAddsUpToItsShareTakesNothingAwayAndDiffersBetweenSeeds) {
  const BackoffOptions options{
      .first = milliseconds(1000), .most = milliseconds(1000), .jitter = 0.5};
  Backoff a(options, 1);
  Backoff b(options, 2);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const Duration wait = a.Next();
    EXPECT_GE(wait, milliseconds(1000));
    EXPECT_LE(wait, milliseconds(1500));
    differs |= wait != b.Next();
  }
  EXPECT_TRUE(differs);
}

TEST(BackoffTest, AnyWaitIsWithinItsBoundsAndNeverShorterAfterMoreFailures) {
  Random random(7);
  for (int i = 0; i < 20'000; ++i) {
    const auto any = [&] {
      return Duration(static_cast<int64_t>(random.Below(uint64_t{1} << (1 + random.Below(58)))));
    };
    const BackoffOptions options{.first = any(), .most = any(), .jitter = random.Unit()};
    const uint32_t failures = static_cast<uint32_t>(random() >> random.Below(64));
    const Duration exact = BackoffWait(options, failures, 0);
    ASSERT_GE(exact, std::min(options.first, options.most));
    ASSERT_LE(exact, options.most);
    ASSERT_LE(BackoffWait(options, failures / 2, 0), exact);
    const Duration drawn = BackoffWait(options, failures, random.Unit());
    ASSERT_GE(drawn, exact);
    // A double has 53 bits of such a wait.
    const auto jitter = static_cast<double>(exact.count()) * options.jitter;
    ASSERT_LE(static_cast<double>((drawn - exact).count()), jitter * (1 + 1e-12));
  }
}

TEST(BackoffTest, AFirstWaitOfNothingStaysNothing) {
  EXPECT_EQ(BackoffWait({.first = {}, .most = hours(1)}, 4'000'000'000u, 1), Duration());
}

}  // namespace
}  // namespace orbweaver
