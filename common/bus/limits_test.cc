#include "common/bus/limits.h"

#include <string>

#include <gtest/gtest.h>

#include "common/base/status.h"

namespace orbweaver {
namespace {

TEST(BusLimitsTest, ARecordThatNoTopicWouldTakeIsRefused) {
  const std::string large(kMaxRecordBytes, 'v');
  const Header header{"h", "v"};
  const Header unnamed{"", "v"};
  const Header unprintable{"a\nb", "v"};
  EXPECT_TRUE(CheckRecord({"t", PartitionId(0), "", large, {}}).ok());
  EXPECT_TRUE(IsFatal(CheckRecord({"t", PartitionId(0), "k", large, {}})));
  EXPECT_TRUE(IsFatal(CheckRecord({"t", PartitionId(0), "", large, {&header, 1}})));
  EXPECT_TRUE(CheckRecord({"t", PartitionId(0), "", "", {&header, 1}}).ok());
  EXPECT_TRUE(IsFatal(CheckRecord({"t", PartitionId(0), "", "", {&unnamed, 1}})));
  EXPECT_TRUE(IsFatal(CheckRecord({"t", PartitionId(0), "", "", {&unprintable, 1}})));
}

TEST(BusLimitsTest, CommitMetadataIsShortAndPrintable) {
  EXPECT_TRUE(CheckCommit({PartitionId(0), Offset(1), ""}).ok());
  EXPECT_TRUE(
      CheckCommit({PartitionId(0), Offset(1), std::string(kMaxCommitMetadataBytes, 'm')}).ok());
  EXPECT_TRUE(IsFatal(
      CheckCommit({PartitionId(0), Offset(1), std::string(kMaxCommitMetadataBytes + 1, 'm')})));
  EXPECT_TRUE(IsFatal(CheckCommit({PartitionId(0), Offset(1), "a\tb"})));
  EXPECT_TRUE(IsFatal(CheckCommit({PartitionId(0), Offset(1), "\xc3\xa9"})));
}

}  // namespace
}  // namespace orbweaver
