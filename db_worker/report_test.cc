#include "db_worker/report.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

// As RAISE and DELETE leave a head: the chunk is read, and passed, when its turn comes.
TEST(ReportTest, ADomainWhoseRequestsWereAllTakenOutCountsAsNeitherReadyNorDelayed) {
  Head head;
  head.bands[2].first = 3;
  head.bands[2].next = 4;
  ASSERT_FALSE(head.empty());
  PartitionReport report;
  const WallTime next_due = report.next_due;
  CountDomain(head, WallTime(std::chrono::hours(1)), &report);
  EXPECT_EQ(report.ready + report.paced + report.blocked + report.delayed, 0u);
  EXPECT_EQ(report.next_due, next_due);
}

}  // namespace
}  // namespace orbweaver
