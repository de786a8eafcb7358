#include "cli/frontier/queue_sample.h"

#include <string>
#include <vector>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/store/memory/memory_store.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

constexpr Duration kLong = std::chrono::minutes(1);
constexpr int kPartitions = 4;
const WallTime kNow(std::chrono::hours(1000));

class QueueSampleTest : public ::testing::Test {
 protected:
  void Put(const std::string& domain, const Head& head) {
    std::string value;
    EncodeHead(head, &value);
    PutBytes(domain, value);
  }
  void PutBytes(const std::string& domain, const std::string& value) {
    const CellPut cell{kHeadColumn, value};
    const std::string row = DomainRow(domain);
    const RowPut put{row, Version(1), {&cell, 1}};
    std::vector<uint32_t> remaining;
    ASSERT_OK(store_.Write(Table::kQueue, {&put, 1}, kLong, &remaining));
  }
  // `count` requests wait in `band`.
  static Head Waiting(int band, uint64_t count) {
    Head head;
    head.bands[static_cast<size_t>(band)].Append(1, 1);
    head.bands[static_cast<size_t>(band)].waiting = count;
    return head;
  }
  absl::StatusOr<QueueSample> Sample(uint64_t max_domains) {
    return SampleQueue(store_, kPartitions, max_domains, kNow, kLong);
  }

  MemoryTables tables_;
  MemoryStore store_{&tables_, {}};
};

TEST_F(QueueSampleTest, CountsEachDomainInItsPartitionByItsState) {
  Put("ready.test", Waiting(0, 3));
  Head paced = Waiting(2, 5);
  paced.paced_until = kNow + std::chrono::seconds(1);
  Put("paced.test", paced);
  Head blocked = Waiting(7, 7);
  blocked.rest.until = kNow + std::chrono::seconds(1);
  Put("blocked.test", blocked);
  Put("empty.test", {});
  const auto sample = Sample(0);
  ASSERT_OK(sample);
  EXPECT_TRUE(sample->exact());
  EXPECT_EQ(sample->domains_read, 4u);
  const auto of = [&](const char* domain) {
    const PartitionId partition = PartitionOf(SlotOf(domain), kPartitions);
    return sample->partitions[static_cast<size_t>(partition.value())];
  };
  EXPECT_GE(of("ready.test").ready, 1u);
  EXPECT_GE(of("ready.test").waiting[0], 3u);
  EXPECT_GE(of("paced.test").paced, 1u);
  EXPECT_GE(of("paced.test").waiting[2], 5u);
  EXPECT_GE(of("blocked.test").blocked, 1u);
  EXPECT_GE(of("blocked.test").waiting[7], 7u);
  uint64_t ready = 0, paced_count = 0, blocked_count = 0, domains = 0;
  for (const PartitionReport& report : sample->partitions) {
    ready += report.ready;
    paced_count += report.paced;
    blocked_count += report.blocked;
    domains += report.domains;
  }
  EXPECT_EQ(ready, 1u);
  EXPECT_EQ(paced_count, 1u);
  EXPECT_EQ(blocked_count, 1u);
  EXPECT_EQ(domains, 4u);
}

TEST_F(QueueSampleTest, ABoundedLookEstimatesTheRest) {
  constexpr int kDomains = 4000;
  for (int i = 0; i < kDomains; ++i) Put(fmt::format("site{}.test", i), Waiting(1, 10));
  const auto sample = Sample(1000);
  ASSERT_OK(sample);
  EXPECT_FALSE(sample->exact());
  EXPECT_GE(sample->domains_read, 1000u);
  EXPECT_LT(sample->domains_read, 1100u);
  uint64_t waiting = 0;
  for (const PartitionReport& report : sample->partitions) waiting += report.waiting[1];
  EXPECT_NEAR(static_cast<double>(waiting), 10.0 * kDomains, 0.15 * 10 * kDomains);
}

TEST_F(QueueSampleTest, AHeadThatCannotBeReadIsAnErrorAndNoZero) {
  PutBytes("broken.test", "\xff\xff");
  EXPECT_TRUE(IsFatal(Sample(0).status()));
}

}  // namespace
}  // namespace orbweaver
