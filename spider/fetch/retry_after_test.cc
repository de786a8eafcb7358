#include "spider/fetch/retry_after.h"

#include <chrono>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

// 1994-11-06 08:49:37 UTC.
constexpr WallTime kNow{std::chrono::seconds(784111777)};

TEST(RetryAfterTest, SecondsAndDates) {
  using std::chrono::seconds;
  EXPECT_EQ(RetryAfter("120", kNow), seconds(120));
  EXPECT_EQ(RetryAfter("0", kNow), seconds(0));
  EXPECT_EQ(RetryAfter("Sun, 06 Nov 1994 08:49:47 GMT", kNow), seconds(10));
  EXPECT_EQ(RetryAfter("Sun, 06 Nov 1994 08:00:00 GMT", kNow), seconds(0)) << "has passed";
}

TEST(RetryAfterTest, NoValueIsLongerThanAYear) {
  constexpr auto kYear = std::chrono::hours(24 * 365);
  for (const char* value : {"99999999", "18446744073709551615", "99999999999999999999999999",
                            "Sun, 06 Nov 2994 08:49:47 GMT"}) {
    EXPECT_EQ(RetryAfter(value, kNow), kYear) << value;
  }
}

TEST(RetryAfterTest, WhatIsNeitherIsNothing) {
  for (const char* value : {"", "-1", "1.5", "soon", "120 seconds", "Sun, 06 Xxx 1994 08:49:47 GMT",
                            "Sun, 31 Feb 1994 08:49:47 GMT", "Sun, 06 Nov 1994 24:49:47 GMT",
                            "Sun, +6 Nov 1994 08:49:47 GMT", "06 Nov 1994 08:49:47 GMT"}) {
    EXPECT_EQ(RetryAfter(value, kNow), std::nullopt) << value;
  }
}

}  // namespace
}  // namespace orbweaver
