#include "lab/report/outcome_estimate.h"

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace orbweaver::lab {
namespace {

Outcome Good() { return {1, 1, 1}; }
Outcome Bad() { return {0, 0, 0}; }

TEST(OutcomeEstimate, IsNothingWhereNothingWasRecorded) {
  EXPECT_EQ((Outcome{0, 0, 0}), OutcomeEstimate().ValueOf(3, 4));
}

// A domain that nothing is known of is as all are.
TEST(OutcomeEstimate, TakesTheMeanOfAllForANewDomain) {
  OutcomeEstimate estimate;
  for (int i = 0; i < 3; ++i) estimate.Add(1, 1, 1, Good());
  estimate.Add(1, 1, 1, Bad());
  EXPECT_DOUBLE_EQ(0.75, estimate.ValueOf(9, 1)[0]);
}

// By hand, with 5 URLs' worth of each level above. All: 10 of 20. Domain 1: 5 of 5, so it is
// (5 + 5 * 0.5) / 10 = 0.75; at depth 2 all 5: (5 + 5 * 0.75) / 10 = 0.875.
TEST(OutcomeEstimate, NarrowsFromAllToTheDomainToTheDepth) {
  OutcomeEstimate estimate;
  for (int i = 0; i < 5; ++i) estimate.Add(1, 2, 1, Good());
  for (int i = 0; i < 5; ++i) estimate.Add(2, 1, 1, Good());
  for (int i = 0; i < 10; ++i) estimate.Add(2, 1, 1, Bad());
  EXPECT_DOUBLE_EQ(0.5, estimate.ValueOf(7, 2)[0]);
  EXPECT_DOUBLE_EQ(0.75, estimate.ValueOf(1, 9)[0]);
  EXPECT_DOUBLE_EQ(0.875, estimate.ValueOf(1, 2)[0]);
  const Estimate parts = estimate.Of(1, 2);
  EXPECT_DOUBLE_EQ(0.25, parts.from_all);
  EXPECT_DOUBLE_EQ(0.75, parts.own[0]);
}

// The strategy fetched the 100 good pages. Of 900 others, all bad, exploration took each with
// probability 0.05. Without weights the estimate would be that most pages are good.
TEST(OutcomeEstimate, WeighsExploredPagesByTheirProbability) {
  OutcomeEstimate estimate;
  Random random(1);
  for (int i = 0; i < 100; ++i) estimate.Add(1, 1, 1, Good());
  for (int i = 0; i < 900; ++i) {
    if (random.Chance(0.05)) estimate.Add(1, 1, 20, Bad());
  }
  EXPECT_NEAR(0.1, estimate.MeanOfAll()[0], 0.03);
  EXPECT_NEAR(0.1, estimate.ValueOf(1, 1)[0], 0.03);
}

// One heavy page is one page.
TEST(OutcomeEstimate, DoesNotTakeOneHeavyPageForMany) {
  OutcomeEstimate estimate;
  for (int i = 0; i < 100; ++i) estimate.Add(2, 1, 1, Bad());
  estimate.Add(1, 1, 1000, Good());
  EXPECT_NEAR(1 / 6.0, estimate.Of(1, 9).own[0], 0.01);
}

}  // namespace
}  // namespace orbweaver::lab
