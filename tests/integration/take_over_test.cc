// A db worker that takes over more heads than can be read before its group takes it for dead, on
// the real Kafka and HBase.
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/bus/kafka/kafka_bus.h"
#include "common/bus/topics.h"
#include "common/protocol/topic_record.h"
#include "common/store/hbase/hbase_store.h"
#include "common/store/hbase/hbase_tables.h"
#include "common/url/partition.h"
#include "db_worker/db_worker_core.h"
#include "db_worker/queue/columns.h"
#include "tests/support/expect_ok.h"
#include "tests/support/real_services.h"

namespace orbweaver {
namespace {

constexpr int kHeads = 500'000;
constexpr int kPartitions = 4;
constexpr Duration kPatience = std::chrono::minutes(2);
constexpr Duration kSession = std::chrono::seconds(6);  // the shortest that brokers take

class TakeOverTest : public ::testing::Test {
 protected:
  TakeOverTest() {
    const std::string prefix = fmt::format("take_over_{:08x}_", std::random_device()());
    HBaseOptions hbase;
    hbase.hosts = {ServiceAddress("ORBWEAVER_THRIFT")};
    hbase.table_prefix = prefix;
    hbase.tables.regions = 1;
    const auto maker = HBaseTables::Create(hbase).value();
    CHECK_OK(maker->Make(Table::kPartitions, kPatience));
    CHECK_OK(maker->Make(Table::kQueue, kPatience));
    store_ = HBaseStore::Create(hbase).value();
    bus_ = NewKafkaBus({.brokers = ServiceAddress("ORBWEAVER_KAFKA"), .prefix = prefix}).value();
    CHECK_OK(bus_->EnsureTopics(*ProductTopics({.partitions = kPartitions}), kPatience).status());
    CHECK_OK(SaveTopicRecord(*store_, {.topic_epoch = 1, .partitions = kPartitions}, kPatience));
  }

  void PutHeads() {
    Head head;
    head.applied = {1, Offset(1), 0};
    std::string packed;
    EncodeHead(head, &packed);
    const CellPut cell{kHeadColumn, packed};
    std::vector<uint32_t> remaining;
    constexpr int kAtOnce = 5000;
    for (int first = 0; first < kHeads; first += kAtOnce) {
      std::vector<std::string> rows;
      for (int i = first; i < first + kAtOnce; ++i) {
        rows.push_back(DomainRow(fmt::format("site{}.com", i)));
      }
      std::vector<RowPut> puts;
      for (const std::string& row : rows) puts.push_back({row, Version(1), {&cell, 1}});
      CHECK_OK(store_->Write(Table::kQueue, puts, kPatience, &remaining));
    }
  }

  std::unique_ptr<Bus> bus_;
  std::unique_ptr<Store> store_;
  MetricRegistry registry_;
  DbWorkerMetrics metrics_{registry_};
};

TEST_F(TakeOverTest, HalfAMillionHeadsAreTakenOverOnceHoweverShortTheSessionIs) {
  PutHeads();
  const auto made = DbWorkerCore::Create(
      *bus_, *store_, SystemClock(), metrics_,
      {.name = "taker", .membership = {.member = "taker", .session_timeout = kSession}});
  ASSERT_OK(made);
  DbWorkerCore& core = **made;
  const SteadyTime began = SystemClock().Now();
  SteadyTime joined{};
  while (core.coming() > 0 || core.Report().size() < kPartitions) {
    ASSERT_LT(SystemClock().Now() - began, std::chrono::minutes(10));
    const absl::Status status = core.Step(std::chrono::milliseconds(100));
    ASSERT_TRUE(status.ok() || IsRetry(status)) << status;
    if (joined == SteadyTime() && core.coming() > 0) joined = SystemClock().Now();
  }
  const double seconds = std::chrono::duration<double>(SystemClock().Now() - joined).count();
  std::printf("%d heads in %.1f s, %.0f a second\n", kHeads, seconds, kHeads / seconds);
  uint64_t domains = 0;
  for (const PartitionReport& report : core.Report()) {
    domains += report.domains;
    EXPECT_EQ(report.epoch, Offset(0)) << "more than one marker";
  }
  EXPECT_EQ(domains, kHeads);
  EXPECT_EQ(metrics_.take_overs.value(), kPartitions);
  core.Close();
}

}  // namespace
}  // namespace orbweaver
