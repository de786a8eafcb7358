// Faults that only this implementation can have: versions in flushes and compactions, and the cost
// of erased cells. tests/contract holds the interface's promises.
#include "common/store/rocksdb/rocksdb_store.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/perf_context.h"
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/store/rocksdb/database.h"
#include "common/store/rocksdb/row_key.h"
#include "tests/support/expect_ok.h"
#include "tests/support/noise.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/stalled_writes.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::minutes(1);
constexpr Table kTable = Table::kQueue;

class RocksdbStoreTest : public ::testing::Test {
 protected:
  // Small, so that StalledWrites need not write much.
  explicit RocksdbStoreTest(size_t write_buffer_bytes = 64 << 10) {
    auto opened = Database::Open({.folder = folder_.path() / "data",
                                  .sync = false,
                                  .write_buffer_bytes = write_buffer_bytes});
    EXPECT_OK(opened.status());
    database_ = *std::move(opened);
    store_ = std::make_unique<RocksdbStore>(*database_);
  }

  void Put(std::string_view row, std::string_view column, uint64_t version,
           std::string_view value) {
    const CellPut cell{column, value};
    const RowPut put{row, Version(version), {&cell, 1}};
    std::vector<uint32_t> remaining;
    EXPECT_OK(store_->Write(kTable, {&put, 1}, kTimeout, &remaining));
  }
  void Erase(std::string_view row, uint64_t version) {
    const RowErase erase{row, Version(version), {}};
    EXPECT_OK(store_->Erase(kTable, {&erase, 1}, kTimeout));
  }
  std::string Get(std::string_view row, std::string_view column, bool whole_row) {
    const RowGet get{row, whole_row ? std::span<const std::string_view>() : std::span(&column, 1)};
    Rows rows;
    EXPECT_OK(store_->MultiGet(kTable, {&get, 1}, kTimeout, &rows));
    const Cell* const cell = rows.Find(0, column);
    return cell == nullptr ? "" : std::string(cell->value);
  }
  void Flush() { EXPECT_TRUE(database_->db().Flush({}, database_->table(kTable)).ok()); }
  void Compact() {
    EXPECT_TRUE(database_->db().CompactRange({}, database_->table(kTable), nullptr, nullptr).ok());
  }

  const ScratchFolder folder_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<RocksdbStore> store_;
};

TEST_F(RocksdbStoreTest, ACompressedCellThatIsDamagedIsAnErrorOfItsReaders) {
  std::string key;
  AppendRowPrefix("row", &key);
  const std::string stored("\x80\0\0\0\0\0\0\1\0\0\1\0 no LZ4", 19);
  ASSERT_TRUE(database_->db().Put({}, database_->table(kTable), key + "c", stored).ok());
  const std::string_view column = "c";
  Rows rows;
  for (const RowGet& get : {RowGet{"row", {}}, RowGet{"row", {&column, 1}}}) {
    EXPECT_TRUE(IsFatal(store_->MultiGet(kTable, {&get, 1}, kTimeout, &rows)));
    EXPECT_EQ(rows.size(), 0u);
  }
  const auto ignore = [](std::string_view, std::span<const Cell>) { return true; };
  EXPECT_TRUE(IsFatal(store_->Scan(kTable, {.begin = "row"}, kTimeout, ignore)));
  // Its version can be told, so it can be erased.
  Erase("row", 1);
  EXPECT_EQ(Get("row", "c", true), "");
}

TEST_F(RocksdbStoreTest, CellsTooShortForAVersionAreAnErrorAndNotReadPastTheirEnd) {
  std::string key;
  AppendRowPrefix("row", &key);
  ASSERT_TRUE(database_->db().Put({}, database_->table(kTable), key + "c", "short").ok());
  const std::string_view column = "c";
  const std::string_view row = "row";
  Rows rows;
  for (const RowGet& get : {RowGet{row, {}}, RowGet{row, {&column, 1}}}) {
    EXPECT_TRUE(IsFatal(store_->MultiGet(kTable, {&get, 1}, kTimeout, &rows)));
    EXPECT_EQ(rows.size(), 0u);
  }
  for (const RowErase& erase :
       {RowErase{row, Version(1), {}}, RowErase{row, Version(1), {&column, 1}}}) {
    EXPECT_TRUE(IsFatal(store_->Erase(kTable, {&erase, 1}, kTimeout)));
  }
  const auto ignore = [](std::string_view, std::span<const Cell>) { return true; };
  EXPECT_TRUE(IsFatal(store_->Scan(kTable, {.begin = row}, kTimeout, ignore)));
  EXPECT_TRUE(
      IsFatal(store_->Scan(kTable, {.begin = row, .columns = {&column, 1}}, kTimeout, ignore)));
}

TEST_F(RocksdbStoreTest, TheHighestVersionWinsWhereverFlushesAndCompactionsFallBetweenPuts) {
  const std::vector<uint64_t> orders[] = {{1, 2, 3}, {3, 2, 1}, {2, 3, 1}, {3, 1, 2}};
  for (int steps = 0; steps < 27; ++steps) {
    for (size_t order = 0; order < std::size(orders); ++order) {
      const std::string row = std::to_string(steps) + "/" + std::to_string(order);
      int step = steps;
      for (const uint64_t version : orders[order]) {
        Put(row, "c", version, std::to_string(version));
        if (step % 3 == 1) Flush();
        if (step % 3 == 2) Compact();
        step /= 3;
      }
      ASSERT_EQ(Get(row, "c", false), "3") << row;
      ASSERT_EQ(Get(row, "c", true), "3") << row;
    }
  }
}

TEST_F(RocksdbStoreTest, TheHighestVersionWinsAmongCompressedValuesAndOthers) {
  const std::string texts[] = {std::string(5000, 'a'), "short", std::string(5000, 'b')};
  int row = 0;
  for (const std::vector<uint64_t>& order :
       std::vector<std::vector<uint64_t>>{{1, 2, 3}, {3, 2, 1}, {2, 3, 1}, {3, 1, 2}}) {
    for (size_t highest = 0; highest < std::size(texts); ++highest, ++row) {
      const std::string name = std::to_string(row);
      for (const uint64_t version : order) {
        Put(name, "c", version, texts[(highest + version) % std::size(texts)]);
        if (row % 2 == 0) Flush();
      }
      for (const bool whole_row : {false, true})
        ASSERT_EQ(Get(name, "c", whole_row), texts[highest]);
      const auto check = [&](std::string_view, std::span<const Cell> cells) {
        EXPECT_EQ(cells[0].value, texts[highest]);
        EXPECT_EQ(cells[0].version, Version(3));
        return true;
      };
      const std::string_view column = "c";
      EXPECT_OK(store_->Scan(kTable, {.begin = name, .columns = {&column, 1}, .limit = 1}, kTimeout,
                             check));
    }
  }
}

TEST_F(RocksdbStoreTest, TextsTakeAFractionOfTheirRoomInTheFolder) {
  for (int i = 0; i < 100; ++i) Put(std::to_string(i), "c", 1, std::string(10'000, 'x'));
  uint64_t bytes = 0;
  ASSERT_TRUE(database_->db().GetAggregatedIntProperty("rocksdb.size-all-mem-tables", &bytes));
  EXPECT_LT(bytes, 500'000u);
}

TEST_F(RocksdbStoreTest, ErasedCellsStayAwayAfterFlushAndCompactionAndNewerOnesStay) {
  Put("row", "old", 1, "old");
  Put("row", "new", 5, "new");
  Flush();
  Erase("row", 4);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Get("row", "old", true), "");
    EXPECT_EQ(Get("row", "new", true), "new");
    Compact();
  }
  Put("row", "old", 6, "again");
  EXPECT_EQ(Get("row", "old", true), "again");
}

TEST_F(RocksdbStoreTest, AWriteThatRocksdbDoesNotTakeInTimeLeavesAllItsPutsRemaining) {
  Put("row", "c", 1, "before");
  StalledWrites stalled(*database_);
  const CellPut cell{"c", "stalled"};
  const RowPut puts[] = {{"row", Version(2), {&cell, 1}}, {"other", Version(2), {&cell, 1}}};
  const RowErase erase{"row", Version(1), {}};
  for (const Duration timeout : {Duration::zero(), Duration(std::chrono::milliseconds(20))}) {
    std::vector<uint32_t> remaining;
    const absl::Status written = store_->Write(kTable, puts, timeout, &remaining);
    EXPECT_EQ(written.code(), absl::StatusCode::kDeadlineExceeded) << written;
    EXPECT_EQ(remaining, (std::vector<uint32_t>{0, 1}));
    const absl::Status erased = store_->Erase(kTable, {&erase, 1}, timeout);
    EXPECT_EQ(erased.code(), absl::StatusCode::kDeadlineExceeded) << erased;
  }
  EXPECT_EQ(Get("row", "c", true), "before");
  EXPECT_EQ(Get("other", "c", true), "");
  stalled.End();
  std::vector<uint32_t> remaining;
  EXPECT_OK(store_->Write(kTable, puts, kTimeout, &remaining));
  EXPECT_EQ(Get("row", "c", true), "stalled");
}

TEST_F(RocksdbStoreTest, AWriteWaitsForAStallToEndAndHoldsUpNobodyMeanwhile) {
  Put("row", "c", 1, "before");
  StalledWrites stalled(*database_);
  std::atomic<bool> begun = false;
  std::thread patient([&] {
    begun = true;
    Put("row", "c", 2, "after");
  });
  while (!begun) std::this_thread::yield();
  const RowErase erase{"row", Version(1), {}};
  for (int i = 0; i < 5; ++i) {
    // Never comes back when the write keeps the erasers out: the stall ends only afterwards.
    const absl::Status erased = store_->Erase(kTable, {&erase, 1}, std::chrono::milliseconds(20));
    EXPECT_EQ(erased.code(), absl::StatusCode::kDeadlineExceeded) << erased;
  }
  stalled.End();
  patient.join();
  EXPECT_EQ(Get("row", "c", true), "after");
}

// A row with a head, cells behind it, and cells that were erased between the two.
class RocksdbScanTest : public RocksdbStoreTest {
 protected:
  // So large that no compaction drops erased cells while the test writes.
  RocksdbScanTest() : RocksdbStoreTest(64 << 20) {}
  void PutRow(const std::string& row, int erased, int chunks, size_t chunk_bytes = 10) {
    const std::string head = "head of " + row, chunk = Noise(chunk_bytes);
    std::vector<std::string> names;
    for (int c = 0; c < erased; ++c) names.push_back("p" + std::to_string(c));
    for (int c = 0; c < chunks; ++c) names.push_back("q" + std::to_string(c));
    const std::vector<std::string_view> columns(names.begin(), names.end());
    std::vector<CellPut> cells{{"h", head}};
    for (const std::string_view column : columns) cells.push_back({column, chunk});
    const RowPut put{row, Version(1), cells};
    std::vector<uint32_t> remaining;
    EXPECT_OK(store_->Write(kTable, {&put, 1}, kTimeout, &remaining));
    if (erased == 0) return;
    const RowErase erase{row, Version(1), std::span(columns).first(static_cast<size_t>(erased))};
    EXPECT_OK(store_->Erase(kTable, {&erase, 1}, kTimeout));
  }
  // The rows that have their head, in the order of the scan, and the work for them by RocksDB's own
  // counters, since a clock would measure the machine.
  struct Scanned {
    std::vector<std::string> rows;
    uint64_t seeks = 0;
    uint64_t skipped = 0;
    uint64_t merged = 0;  // values that were read
  };
  Scanned ScanHeads() {
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
    rocksdb::PerfContext& counted = *rocksdb::get_perf_context();
    counted.Reset();
    const std::string_view head = "h";
    Scanned scanned;
    EXPECT_OK(store_->Scan(kTable, {.columns = {&head, 1}}, kTimeout,
                           [&](std::string_view row, std::span<const Cell> cells) {
                             EXPECT_EQ(cells.size(), 1u);
                             EXPECT_EQ(cells[0].value, "head of " + std::string(row));
                             scanned.rows.emplace_back(row);
                             return true;
                           }));
    scanned.seeks = counted.seek_on_memtable_count;
    scanned.skipped = counted.internal_key_skipped_count + counted.internal_delete_skipped_count;
    scanned.merged = counted.internal_merge_count;
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
    return scanned;
  }
  static std::string Row(int r) { return "row" + std::to_string(1000 + r); }

  static constexpr int kRows = 200;
};

TEST_F(RocksdbScanTest, AScanOfOneColumnDoesNotWalkThroughTheErasedCellsOfOthers) {
  for (int r = 0; r < kRows; ++r) PutRow(Row(r), 100, r % 3);
  const Scanned scanned = ScanHeads();
  EXPECT_EQ(scanned.rows.size(), static_cast<size_t>(kRows));
  EXPECT_LT(scanned.skipped, static_cast<uint64_t>(kRows));
}

TEST_F(RocksdbScanTest, AScanStepsOverFewSmallCells) {
  for (int r = 0; r < kRows; ++r) PutRow(Row(r), 0, 1);
  const Scanned scanned = ScanHeads();
  EXPECT_EQ(scanned.rows.size(), static_cast<size_t>(kRows));
  EXPECT_LT(scanned.seeks, static_cast<uint64_t>(kRows) / 10);
}

TEST_F(RocksdbScanTest, AScanJumpsOverManyCellsAndOverLargeOnes) {
  for (const bool are_many : {false, true}) {
    const size_t bytes = are_many ? 10 : 10'000;
    for (int r = 0; r < kRows; ++r) PutRow(Row(r), 0, are_many ? 20 : 1, bytes);
    const Scanned scanned = ScanHeads();
    EXPECT_EQ(scanned.rows.size(), static_cast<size_t>(kRows));
    EXPECT_GE(scanned.seeks, static_cast<uint64_t>(kRows) * 9 / 10);
    EXPECT_LT(scanned.merged, kRows * 5u / 4) << "the heads, and little more";
  }
}

TEST_F(RocksdbScanTest, EachRowIsSeenOnceWhateverStandsBehindItsHead) {
  std::vector<std::string> all;
  for (int r = 0; r < kRows; ++r) {
    all.push_back(Row(r));
    PutRow(Row(r), r % 7 == 3 ? r : 0, r % 2, r % 11 == 0 ? 5000 : 10);
    // Rows that are gone stand between them.
    for (int gone = 0; gone < r % 13; ++gone) {
      const std::string row = Row(r) + "-" + std::to_string(gone);
      Put(row, "h", 1, "gone");
      Erase(row, 1);
    }
    if (r == kRows / 2) Flush();
  }
  EXPECT_EQ(ScanHeads().rows, all);
  Flush();
  EXPECT_EQ(ScanHeads().rows, all);
}

TEST_F(RocksdbScanTest, AColumnIsFoundBehindErasedOnes) {
  for (int r = 0; r < kRows; ++r) PutRow(Row(r), r, 1);
  const std::string_view columns[] = {"h", "o", "q0"};
  int r = 0;
  EXPECT_OK(store_->Scan(kTable, {.columns = columns}, kTimeout,
                         [&](std::string_view row, std::span<const Cell> cells) {
                           EXPECT_EQ(row, Row(r));
                           EXPECT_EQ(cells.size(), 2u) << r;
                           return ++r < kRows;
                         }));
  EXPECT_EQ(r, kRows);
}

}  // namespace
}  // namespace orbweaver
