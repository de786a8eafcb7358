// The embedded store with batches of 1000 rows of 500 bytes, every batch synced.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "fmt/format.h"
#include "rocksdb/db.h"

#include "common/base/big_endian.h"
#include "common/base/random.h"
#include "common/base/status.h"
#include "common/store/rocksdb/database.h"
#include "common/store/rocksdb/rocksdb_store.h"
#include "tests/bench/bench.h"
#include "tests/bench/store_rows.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

constexpr size_t kRows = 500'000;
constexpr size_t kBatch = 1000;
constexpr size_t kValueBytes = 500;
constexpr size_t kBuffered = 40'000;
constexpr size_t kGets = 200'000;
constexpr Duration kTimeout = std::chrono::minutes(1);

// Reports an error; the case is over then.
bool Failed(BenchReport& report, std::string_view name, const absl::Status& status) {
  if (!status.ok()) report.Fail(name, MessageOf(status));
  return !status.ok();
}

// Flushes what is in memory and waits for the compactions that are due.
absl::Status Settle(Database& database) {
  rocksdb::ColumnFamilyHandle* const table = database.table(Table::kDomains);
  RETURN_IF_ERROR(database.ToStatus(database.db().Flush({}, table), "flush"));
  // RocksDB 7.8 has nothing to wait on for this: look again until it is done.
  uint64_t busy = 1;
  while (busy > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    uint64_t running = 0, due = 0;
    database.db().GetIntProperty(table, "rocksdb.num-running-compactions", &running);
    database.db().GetIntProperty(table, "rocksdb.compaction-pending", &due);
    busy = running + due;
  }
  return absl::OkStatus();
}

// Two cases: all threads' CPU while the puts run, and with it what they leave behind, until each
// row stands in a table file and nothing is due. Last, `kBuffered` more rows fill a part of the
// write buffer, as it is when a worker reads.
void Put(BenchReport& report, std::string_view name, Database& database, RocksdbStore& store,
         Version version) {
  Random random(1);
  std::vector<std::string> values(4096);
  for (std::string& value : values) value = BenchValue(random, kValueBytes);
  std::vector<std::string> rows(kRows + kBuffered);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = BenchRow(i);
  std::vector<CellPut> cells(kBatch);
  std::vector<RowPut> puts(kBatch);
  std::vector<uint32_t> remaining;
  const auto put_all = [&](size_t first, size_t end) {
    for (; first < end; first += kBatch) {
      for (size_t i = 0; i < kBatch; ++i) {
        cells[i] = {"r", values[random.Below(values.size())]};
        puts[i] = {rows[first + i], version, {&cells[i], 1}};
      }
      RETURN_IF_ERROR(store.Write(Table::kDomains, puts, kTimeout, &remaining));
    }
    return absl::OkStatus();
  };
  const CpuTimer timer;
  if (Failed(report, name, put_all(0, kRows))) return;
  report.AddRate(name, kRows, "rows/cpu_s", timer,
                 "CPU: memtable, log, and the flushes and compactions running meanwhile");
  const std::string settled = fmt::format("{}_settled", name);
  if (Failed(report, settled, Settle(database))) return;
  report.AddRate(settled, kRows, "rows/cpu_s", timer,
                 "CPU: as before, and all flushes and compactions that became due");
  static_cast<void>(Failed(report, name, put_all(kRows, kRows + kBuffered)));
}

// `columns` none: whole rows. `first` beyond kRows: rows that are not there.
void Get(BenchReport& report, std::string_view name, RocksdbStore& store, uint64_t first,
         std::span<const std::string_view> columns, std::string_view limit) {
  Random random(2);
  std::vector<std::string> names(kGets);
  for (std::string& row : names) row = BenchRow(first + random.Below(kRows));
  std::vector<RowGet> gets(kBatch);
  Rows rows;
  size_t cells = 0;
  const auto get_all = [&] {
    cells = 0;
    for (size_t got = 0; got < kGets; got += kBatch) {
      for (size_t i = 0; i < kBatch; ++i) gets[i] = {names[got + i], columns};
      if (Failed(report, name, store.MultiGet(Table::kDomains, gets, kTimeout, &rows))) return;
      for (size_t i = 0; i < kBatch; ++i) cells += rows[i].size();
    }
  };
  get_all();  // so that what is read stands in the cache
  const CpuTimer timer;
  get_all();
  const size_t expected = first < kRows ? kGets : 0;
  if (cells != expected)
    return report.Fail(name, fmt::format("{} cells, expected {}", cells, expected));
  report.AddRate(name, kGets, "rows/cpu_s", timer, limit);
}

void RocksdbStoreBench(BenchReport& report) {
  const ScratchFolder folder;
  auto database = Database::Open({.folder = folder.path() / "data"});
  if (!database.ok()) return report.Fail("rocksdb_put", MessageOf(database.status()));
  RocksdbStore store(**database);
  constexpr std::string_view kColumn[] = {"r"};
  constexpr uint64_t kAbsent = uint64_t{1} << 40;
  Put(report, "rocksdb_put", **database, store, Version(1));
  Get(report, "rocksdb_get", store, 0, kColumn, "CPU: one cell by name, in cached blocks");
  Get(report, "rocksdb_get_row", store, 0, {}, "CPU: an iterator's seek a row, in cached blocks");
  Get(report, "rocksdb_absent", store, kAbsent, kColumn, "CPU: cell bloom");
  Get(report, "rocksdb_absent_row", store, kAbsent, {}, "CPU: an iterator's seek, row bloom");
  Put(report, "rocksdb_overwrite", **database, store, Version(2));
  Get(report, "rocksdb_get_overwritten", store, 0, kColumn, "CPU: one cell by name");
}

}  // namespace

ORBWEAVER_BENCH("store", RocksdbStoreBench);

}  // namespace orbweaver
