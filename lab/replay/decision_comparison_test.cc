#include "lab/replay/decision_comparison.h"

#include <string>

#include <gtest/gtest.h>

namespace orbweaver::lab {
namespace {

Decision On(int partition, int64_t event, std::string entry) {
  return {
      .key = {PartitionId(partition), Offset(event), 0}, .entry = std::move(entry), .requests = 1};
}

TEST(DecisionComparisonTest, EqualOnesMatchInAnyOrder) {
  DecisionComparison comparison;
  comparison.AddRecorded(On(0, 1, "a"));
  comparison.AddRecorded(On(0, 2, "b"));
  comparison.AddReplayed(On(0, 2, "b"));
  comparison.AddReplayed(On(0, 1, "a"));
  comparison.Finish();
  EXPECT_EQ(comparison.equal(), 2u);
  EXPECT_EQ(comparison.equal_requests(), 2u);
  EXPECT_FALSE(comparison.First().has_value());
}

TEST(DecisionComparisonTest, TheFirstDifferenceIsTheOneOfTheLowestOrderAndEvent) {
  DecisionComparison comparison;
  comparison.set_order(1);
  comparison.AddRecorded(On(0, 1, "later in time"));
  comparison.set_order(0);
  comparison.AddRecorded(On(1, 9, "a"));
  comparison.AddReplayed(On(1, 9, "b"));
  comparison.AddReplayed(On(1, 8, "new"));
  comparison.Finish();
  EXPECT_EQ(comparison.open(), 3u);
  EXPECT_EQ(comparison.different(), 1u);
  EXPECT_EQ(comparison.First()->key.event, Offset(8));
  EXPECT_EQ(comparison.First()->recorded, "");
  EXPECT_EQ(comparison.First()->replayed, "new");
}

TEST(DecisionComparisonTest, DecisionsBehindTheRecordingsEndAreNoDifference) {
  DecisionComparison comparison;
  comparison.AddRecorded(On(0, 5, "a"));
  comparison.AddReplayed(On(0, 5, "a"));
  comparison.AddReplayed(On(0, 6, "b"));
  comparison.AddReplayed(On(1, 0, "c"));
  comparison.Finish();
  EXPECT_EQ(comparison.behind_the_end(), 2u);
  EXPECT_FALSE(comparison.First().has_value());
}

}  // namespace
}  // namespace orbweaver::lab
