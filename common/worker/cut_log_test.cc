#include "common/worker/cut_log.h"

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

// Partition n holds [10 n, 100).
class Offsets : public OffsetReader {
 public:
  absl::StatusOr<std::vector<LogBounds>> Bounds(std::string_view,
                                                std::span<const PartitionId> partitions,
                                                Duration) override {
    std::vector<LogBounds> bounds;
    for (const PartitionId partition : partitions) {
      bounds.push_back({Offset(10 * partition.value()), Offset(100)});
    }
    return bounds;
  }
  absl::StatusOr<std::vector<std::optional<CommittedOffset>>> Committed(
      std::string_view, std::string_view, std::span<const PartitionId> partitions,
      Duration) override {
    return std::vector<std::optional<CommittedOffset>>(partitions.size());
  }
};

absl::StatusOr<std::vector<CutLog>> Cuts(const std::map<PartitionId, Offset>& next) {
  Offsets offsets;
  return FindCuts(offsets, "topic", next, std::chrono::seconds(1));
}

TEST(CutLog, TellsHowMuchOfWhichPartitionIsLost) {
  const auto cuts = Cuts({{PartitionId(0), Offset(0)},
                          {PartitionId(2), Offset(13)},
                          {PartitionId(3), Offset(30)},
                          {PartitionId(4), Offset(100)}});
  ASSERT_OK(cuts);
  ASSERT_EQ(cuts->size(), 1u);
  EXPECT_EQ(cuts->front().partition, PartitionId(2));
  EXPECT_EQ(cuts->front().start, Offset(20));
  EXPECT_EQ(cuts->front().lost(), 7u);
}

TEST(CutLog, ALogThatEndsBelowWhatWasReadIsAnother) {
  EXPECT_TRUE(IsFatal(Cuts({{PartitionId(1), Offset(101)}}).status()));
}

}  // namespace
}  // namespace orbweaver
