// A db worker that takes over a queue of millions of domains: the store in memory, so that it is
// the worker's own part that is measured.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/protocol/topic_record.h"
#include "common/store/memory/memory_store.h"
#include "common/url/partition.h"
#include "db_worker/db_worker_core.h"
#include "db_worker/queue/columns.h"
#include "tests/bench/bench.h"
#include "tests/bench/heap.h"

namespace orbweaver {
namespace {

constexpr int kHeads = 3'000'000;
constexpr int kPartitions = 16;
constexpr Duration kTimeout = std::chrono::minutes(1);

// Of domains with requests in one band, as most have.
void PutHeads(Store& store) {
  Head head;
  head.applied = {1, Offset(1), 0};
  head.waiting_since = SystemClock().Wall();
  head.bands[4].Append(20, 1);
  head.bands[4].waiting = 20;
  std::string packed;
  EncodeHead(head, &packed);
  const CellPut cell{kHeadColumn, packed};
  std::vector<uint32_t> remaining;
  for (int first = 0; first < kHeads; first += 1000) {
    std::vector<std::string> rows;
    for (int i = 0; i < 1000; ++i) rows.push_back(DomainRow(fmt::format("site{}.com", first + i)));
    std::vector<RowPut> puts;
    for (const std::string& row : rows) puts.push_back({row, Version(1), {&cell, 1}});
    CHECK_OK(store.Write(Table::kQueue, puts, kTimeout, &remaining));
  }
}

void TakeOverBench(BenchReport& report) {
  ConfigureLog({.level = LogLevel::kWarning});
  MemoryBroker broker;
  MemoryBus bus(&broker, {});
  MemoryTables tables;
  MemoryStore store(&tables, {});
  CHECK_OK(bus.EnsureTopics(*ProductTopics({.partitions = kPartitions}), kTimeout).status());
  CHECK_OK(SaveTopicRecord(store, {.topic_epoch = 1, .partitions = kPartitions}, kTimeout));
  PutHeads(store);
  MetricRegistry registry;
  DbWorkerMetrics metrics{registry};
  const size_t before = HeapBytes();
  size_t peak = before;
  double longest_s = 0;
  int steps = 0;
  const CpuTimer timer;
  auto core = *DbWorkerCore::Create(bus, store, SystemClock(), metrics, {.name = "bench"});
  while (core->coming() > 0 || core->Report().empty()) {
    const CpuTimer step;
    CHECK_OK(core->Step(Duration::zero()));
    longest_s = std::max(longest_s, step.WallSeconds());
    peak = std::max(peak, HeapBytes());
    ++steps;
  }
  report.AddRate("take_over_3M_heads", kHeads, "heads/cpu_s", timer, "CPU: the index, the scan");
  report.Add("take_over_longest_step", longest_s, "wall_s", timer.CpuSeconds(), timer.WallSeconds(),
             fmt::format("{} steps; a slice is a second", steps));
  report.Add("take_over_peak", static_cast<double>(peak - before) / kHeads, "bytes/head", 0, 0,
             "memory: the index");
  CHECK(metrics.take_overs.value() == kPartitions);
}

ORBWEAVER_BENCH("take_over", TakeOverBench);

}  // namespace
}  // namespace orbweaver
