// The store and the bus in memory: what the simulator and replays stand on.
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/bus/memory/memory_broker.h"
#include "common/bus/memory/memory_bus.h"
#include "common/store/memory/memory_store.h"
#include "common/store/memory/memory_tables.h"
#include "tests/bench/bench.h"
#include "tests/bench/bus_cases.h"
#include "tests/bench/store_rows.h"

namespace orbweaver {
namespace {

constexpr size_t kRows = 200'000;
constexpr size_t kBatch = 1000;
constexpr size_t kValueBytes = 500;
constexpr Duration kTimeout = std::chrono::minutes(1);

absl::Status PutAndGet(BenchReport& report) {
  MemoryTables tables;
  MemoryStore store(&tables, {});
  Random random(1);
  std::vector<std::string> rows, values;
  for (size_t i = 0; i < kRows; ++i) rows.push_back(BenchRow(i));
  for (int i = 0; i < 1024; ++i) values.push_back(BenchValue(random, kValueBytes));
  std::vector<CellPut> cells(kBatch);
  std::vector<RowPut> puts(kBatch);
  std::vector<uint32_t> remaining;
  const CpuTimer put;
  for (size_t first = 0; first < kRows; first += kBatch) {
    for (size_t i = 0; i < kBatch; ++i) {
      cells[i] = {"r", values[(first + i) % values.size()]};
      puts[i] = {rows[first + i], Version(1), {&cells[i], 1}};
    }
    RETURN_IF_ERROR(store.Write(Table::kDomains, puts, kTimeout, &remaining));
  }
  report.AddRate("memory_put", kRows, "rows/cpu_s", put, "CPU: ordered map");
  std::vector<RowGet> gets(kBatch);
  Rows found;
  const CpuTimer get;
  for (size_t first = 0; first < kRows; first += kBatch) {
    for (size_t i = 0; i < kBatch; ++i) gets[i] = {rows[first + i], {}};
    RETURN_IF_ERROR(store.MultiGet(Table::kDomains, gets, kTimeout, &found));
    if (found[kBatch - 1].size() != 1) return FatalError("get: a row is missing");
  }
  report.AddRate("memory_get", kRows, "rows/cpu_s", get, "CPU: ordered map, copies");
  return absl::OkStatus();
}

void MemoryStoreBench(BenchReport& report) {
  const absl::Status status = PutAndGet(report);
  if (!status.ok()) report.Fail("memory", MessageOf(status));
}

void MemoryBusBench(BenchReport& report) {
  MemoryBroker broker;
  MemoryBus bus(&broker, {});
  const absl::Status status = BenchBus(
      bus, "memory", 300'000,
      {.produce = "CPU: a copy of each message", .consume = "CPU: a copy of each message"}, report);
  if (!status.ok()) report.Fail("memory", MessageOf(status));
}

ORBWEAVER_BENCH("store", MemoryStoreBench);
ORBWEAVER_BENCH("bus", MemoryBusBench);

}  // namespace
}  // namespace orbweaver
