#include "common/base/backoff.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

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

TEST(BackoffTest, JitterStaysInItsShareAndDiffersBetweenSeeds) {
  const BackoffOptions options{
      .first = milliseconds(1000), .most = milliseconds(1000), .jitter = 0.5};
  Backoff a(options, 1);
  Backoff b(options, 2);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const Duration wait = a.Next();
    EXPECT_GE(wait, milliseconds(500));
    EXPECT_LE(wait, milliseconds(1000));
    differs |= wait != b.Next();
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace orbweaver
