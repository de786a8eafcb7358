// The store while HBase splits and moves the regions under it. Needs ORBWEAVER_THRIFT, and
// ORBWEAVER_SERVICES to change the regions; `./run test` sets both.
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/big_endian.h"
#include "common/base/ids.h"
#include "common/store/hbase/hbase_store.h"
#include "common/store/hbase/hbase_tables.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

constexpr Duration kPatience = std::chrono::minutes(2);
constexpr size_t kRows = 500;
constexpr Table kTable = Table::kQueue;

class HBaseRegionsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const thrift = std::getenv("ORBWEAVER_THRIFT");
    const char* const services = std::getenv("ORBWEAVER_SERVICES");
    ASSERT_TRUE(thrift != nullptr && services != nullptr)
        << "ORBWEAVER_THRIFT or ORBWEAVER_SERVICES is not set. Run `./run test integration`.";
    services_ = services;
    options_.hosts = {thrift};
    // A table of its own: it can be split only once before a compaction.
    options_.table_prefix =
        fmt::format("regions_{:x}_", SystemClock().Wall().time_since_epoch().count());
    options_.tables.regions = 2;
    ASSERT_OK(HBaseTables::Create(options_).value()->Make(kTable, kPatience));
    store_ = HBaseStore::Create(options_).value();
    for (size_t i = 0; i < kRows; ++i) {
      AppendBigEndian(static_cast<uint16_t>(i * kSlots / kRows), &names_.emplace_back());
      names_.back() += "row";
    }
  }

  // In the services' words: "split" or "move".
  void Change(const std::string& what) {
    const std::string command =
        fmt::format("'{}' regions {} {}queue", services_, what, options_.table_prefix);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }

  void PutAll(uint64_t version) {
    const std::string value = std::to_string(version);
    const CellPut cell{"c", value};
    std::vector<RowPut> puts;
    for (const std::string& name : names_) puts.push_back({name, Version(version), {&cell, 1}});
    std::vector<uint32_t> remaining;
    ASSERT_OK(store_->Write(kTable, puts, kPatience, &remaining));
  }

  // Every row is there, whole, and not older than `acked`.
  void CheckAll(uint64_t acked) {
    std::vector<RowGet> gets;
    for (const std::string& name : names_) gets.push_back({name, {}});
    Rows rows;
    ASSERT_OK(store_->MultiGet(kTable, gets, kPatience, &rows));
    for (size_t i = 0; i < kRows; ++i) {
      ASSERT_EQ(rows[i].size(), 1u);
      ASSERT_GE(rows[i][0].version.value(), acked);
    }
    size_t next = 0;
    ASSERT_OK(store_->Scan(kTable, {}, kPatience, [&](std::string_view row, auto cells) {
      EXPECT_EQ(row, names_.at(next++));
      EXPECT_GE(cells[0].version.value(), acked);
      return !HasFailure();
    }));
    ASSERT_EQ(next, kRows);
  }

  std::string services_;
  HBaseOptions options_;
  std::unique_ptr<HBaseStore> store_;
  std::vector<std::string> names_;
};

TEST_F(HBaseRegionsTest, ReadsAndWritesGoOnWhileRegionsAreSplitAndMoved) {
  PutAll(1);
  std::atomic<uint64_t> acked = 1;
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (uint64_t version = 2; !done && !HasFatalFailure(); ++version) {
      PutAll(version);
      acked = version;
    }
  });
  std::thread reader([&] {
    while (!done && !HasFatalFailure()) CheckAll(acked);
  });
  Change("move");
  Change("split");
  Change("move");
  done = true;
  writer.join();
  reader.join();
  EXPECT_GT(acked, 1u);
  CheckAll(acked);
}

}  // namespace
}  // namespace orbweaver
