#include "orbweaver/retry_delay.h"

#include <random>

#include <gtest/gtest.h>

namespace orbweaver::sdk {
namespace {

TEST(RetryDelayTest, DoublesWaitsForTheServerAndStaysWithinItsBound) {
  EXPECT_EQ(RetryDelayMs(1000, 5000, 0, -1), 1000);
  EXPECT_EQ(RetryDelayMs(1000, 5000, 2, -1), 4000);
  EXPECT_EQ(RetryDelayMs(1000, 5000, 3, -1), 5000);
  EXPECT_EQ(RetryDelayMs(1000, 5000, 0, 3000), 3000);
  EXPECT_EQ(RetryDelayMs(1000, 5000, 0, 90'000), 5000);
  EXPECT_EQ(RetryDelayMs(0, 5000, 4'000'000'000u, -1), 0);
  EXPECT_EQ(RetryDelayMs(9000, 5000, 0, -1), 5000);
}

TEST(RetryDelayTest, AnyDelayIsWithinItsBoundsAndNeverShorterAfterMoreAttempts) {
  std::mt19937_64 random(5);
  const auto any = [&random] { return static_cast<int64_t>(random() >> (2 + random() % 60)); };
  for (int i = 0; i < 20'000; ++i) {
    const int64_t first = any();
    const int64_t most = any();
    const int64_t asked = random() % 2 == 0 ? -1 : any();
    const auto attempt = static_cast<uint32_t>(random() >> (random() % 64));
    const int64_t delay = RetryDelayMs(first, most, attempt, asked);
    ASSERT_LE(delay, most);
    ASSERT_GE(delay, std::min(std::max(first, asked), most));
    ASSERT_GE(delay, RetryDelayMs(first, most, attempt / 2, asked));
  }
}

}  // namespace
}  // namespace orbweaver::sdk
