#include "common/metrics/metric.h"

#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(CounterTest, LosesNoIncrementOfConcurrentThreads) {
  Counter counter;
  Gauge gauge;
  Histogram histogram({1.0});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10'000; ++n) {
        counter.Increment();
        gauge.Add(0.5);
        histogram.Observe(2.0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter.value(), 40'000u);
  EXPECT_EQ(gauge.value(), 20'000.0);
  EXPECT_EQ(histogram.Read().counts[1], 40'000u);
  EXPECT_EQ(histogram.Read().sum, 80'000.0);
}

TEST(HistogramTest, AValueEqualToABoundLiesInItsBucket) {
  Histogram histogram({1.0, 2.0});
  for (const double value : {0.5, 1.0, 1.5, 2.0, 2.5}) histogram.Observe(value);
  EXPECT_EQ(histogram.Read().counts, (std::vector<uint64_t>{2, 2, 1}));
  EXPECT_EQ(histogram.Read().sum, 7.5);
}

TEST(HistogramTest, ExtremeValuesAreCountedToo) {
  Histogram histogram({0.0});
  histogram.Observe(-std::numeric_limits<double>::infinity());
  histogram.Observe(std::numeric_limits<double>::infinity());
  EXPECT_EQ(histogram.Read().counts, (std::vector<uint64_t>{1, 1}));
}

TEST(HistogramDeathTest, BoundsThatDoNotAscendAreABug) {
  EXPECT_DEATH(Histogram({1.0, 1.0}), "invariant");
  EXPECT_DEATH(Histogram({2.0, 1.0}), "invariant");
  EXPECT_DEATH(Histogram({}), "invariant");
}

TEST(HistogramTest, ExponentialBoundsGrowByTheirFactor) {
  EXPECT_EQ(ExponentialBounds(1, 4, 4), (std::vector<double>{1, 4, 16, 64}));
}

}  // namespace
}  // namespace orbweaver
