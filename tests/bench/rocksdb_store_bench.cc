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
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

constexpr size_t kRows = 500'000;
constexpr size_t kBatch = 1000;
constexpr size_t kValueBytes = 500;
constexpr size_t kGets = 200'000;
constexpr Duration kTimeout = std::chrono::minutes(1);

// As the workers name rows: the slot, the reversed domain, 0x00, the shard.
std::string RowName(uint64_t i) {
  Random random(i);
  std::string row;
  AppendBigEndian(static_cast<uint16_t>(random.Below(kSlots)), &row);
  row += fmt::format("com.domain-{:x}", random() & 0xffffffffff);
  row.append(3, '\0');
  return row;
}

// Like a block of link states: fingerprints, which do not compress, and states, which do.
std::string Value(Random& random) {
  std::string value;
  while (value.size() < kValueBytes) {
    AppendBigEndian(random(), &value);
    value += "\x01\x20\0\0\0\0";
  }
  value.resize(kValueBytes);
  return value;
}

bool Failed(BenchReport& report, std::string_view name, const absl::Status& status) {
  if (!status.ok()) report.Fail(name, MessageOf(status));
  return !status.ok();
}

void Put(BenchReport& report, std::string_view name, RocksdbStore& store, Version version) {
  Random random(1);
  std::vector<std::string> values(4096);
  for (std::string& value : values) value = Value(random);
  std::vector<std::string> rows(kRows);
  for (size_t i = 0; i < kRows; ++i) rows[i] = RowName(i);
  std::vector<CellPut> cells(kBatch);
  std::vector<RowPut> puts(kBatch);
  std::vector<uint32_t> remaining;
  const CpuTimer timer;
  for (size_t first = 0; first < kRows; first += kBatch) {
    for (size_t i = 0; i < kBatch; ++i) {
      cells[i] = {"r", values[random.Below(values.size())]};
      puts[i] = {rows[first + i], version, {&cells[i], 1}};
    }
    if (Failed(report, name, store.Write(Table::kDomains, puts, kTimeout, &remaining))) return;
  }
  report.AddRate(name, kRows, "rows/cpu_s", timer, "CPU: memtable, flush, compaction");
}

// Compactions that the puts left behind would count as the gets'.
void AwaitCompactions(Database& database) {
  uint64_t busy = 1;
  while (busy > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    uint64_t running = 0, due = 0;
    database.db().GetIntProperty(database.table(Table::kDomains), "rocksdb.num-running-compactions",
                                 &running);
    database.db().GetIntProperty(database.table(Table::kDomains), "rocksdb.compaction-pending",
                                 &due);
    busy = running + due;
  }
}

// `columns` none: whole rows. `first` beyond kRows: rows that are not there.
void Get(BenchReport& report, std::string_view name, RocksdbStore& store, uint64_t first,
         std::span<const std::string_view> columns, std::string_view limit) {
  Random random(2);
  std::vector<std::string> names(kGets);
  for (std::string& row : names) row = RowName(first + random.Below(kRows));
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
  Put(report, "rocksdb_put", store, Version(1));
  AwaitCompactions(**database);
  Get(report, "rocksdb_get", store, 0, {}, "CPU: seeks in cached blocks");
  Get(report, "rocksdb_get_column", store, 0, kColumn, "CPU: seeks in cached blocks");
  Get(report, "rocksdb_absent", store, uint64_t{1} << 40, {}, "CPU: row bloom");
  Get(report, "rocksdb_absent_column", store, uint64_t{1} << 40, kColumn, "CPU: row bloom");
  Put(report, "rocksdb_overwrite", store, Version(2));
  AwaitCompactions(**database);
  Get(report, "rocksdb_get_overwritten", store, 0, {}, "CPU: seeks in cached blocks");
}

}  // namespace

ORBWEAVER_BENCH("store", RocksdbStoreBench);

}  // namespace orbweaver
