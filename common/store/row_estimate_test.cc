#include "common/store/row_estimate.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(RowEstimateTest, LargerRowsAreBelievedAtOnceAndSmallerOnesByAndBy) {
  RowEstimate estimate;
  estimate.Learn(100, 100 * 1000);
  for (int i = 0; i < 50; ++i) estimate.Learn(100, 100 * 1000);
  EXPECT_NEAR(static_cast<double>(estimate.RowsIn(1'000'000)), 1000, 10);
  estimate.Learn(10, 10 * 100'000);
  EXPECT_EQ(estimate.RowsIn(1'000'000), 9u);
  estimate.Learn(10, 10 * 1000);
  EXPECT_LT(estimate.RowsIn(1'000'000), 15u);
  for (int i = 0; i < 50; ++i) estimate.Learn(10, 10 * 1000);
  EXPECT_GT(estimate.RowsIn(1'000'000), 900u);
}

TEST(RowEstimateTest, ARowIsAlwaysAskedForAndNoAnswerTeachesNothing) {
  RowEstimate estimate;
  const size_t before = estimate.RowsIn(size_t{1} << 20);
  estimate.Learn(0, 0);
  EXPECT_EQ(estimate.RowsIn(size_t{1} << 20), before);
  estimate.Learn(1, size_t{1} << 30);
  EXPECT_EQ(estimate.RowsIn(size_t{1} << 20), 1u);
}

TEST(RowEstimateTest, WhatIsExpectedAtLeastOnlyRaisesIt) {
  RowEstimate estimate;
  estimate.ExpectAtLeast(size_t{1} << 20);
  EXPECT_EQ(estimate.RowsIn(size_t{8} << 20), 8u);
  estimate.ExpectAtLeast(1);
  EXPECT_EQ(estimate.RowsIn(size_t{8} << 20), 8u);
}

}  // namespace
}  // namespace orbweaver
