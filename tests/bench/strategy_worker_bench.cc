// The cost of the strategy worker, from the bytes of the spider log to the bytes of the scoring
// log, with its real parts on a store and a bus in memory: 1000 hosts with 100 known URLs each,
// pages of 60 links to their own host, 54 of them known and 6 new.
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "strategy_worker/host/loader.h"
#include "tests/bench/bench.h"
#include "tests/support/page_workload.h"
#include "tests/support/strategy_world.h"

namespace orbweaver {
namespace {

constexpr int kLinks = 60;
constexpr int kPages = 20'000;
constexpr int kPartitions = 16;
constexpr size_t kBatchEvents = 300;

void Append(StrategyWorld& world, const std::vector<PageWorkload::Entry>& entries) {
  for (const PageWorkload::Entry& entry : entries) {
    world.AppendRaw(world.PartitionOfDomain(entry.domain), entry.domain, entry.value);
  }
}

StrategyOptions Named(std::string name) {
  return {.name = std::move(name), .path = {}, .directory = {}, .params = {}};
}

void MemoryCase(BenchReport& report, const char* name, const StrategyOptions& options) {
  auto strategy = LoadStrategy(options, /*seed=*/1);
  if (!strategy.ok()) {
    report.Fail(name, MessageOf(strategy.status()));
    return;
  }
  StrategyWorld world(kPartitions);
  PageWorkload workload({.links = kLinks});
  Append(world, workload.Seeds());
  // As for any store in this process: a put costs the same whenever it comes, and a batch that
  // stays in the CPU's caches costs less.
  StrategyWorld::Worker worker;
  worker.options.batch_events = kBatchEvents;
  const auto core = world.NewCore(**strategy, std::move(worker));
  CHECK_OK(world.RunUntilIdle(*core));
  for (int i = 0; i < kPages; ++i) Append(world, workload.NextPage());
  const CpuTimer timer;
  CHECK_OK(world.RunUntilIdle(*core));
  report.AddRate(name, kPages * kLinks, "links/cpu_s", timer,
                 "CPU: decoding, checking URLs, look-ups");
  CHECK(world.DeadLetterCauses().empty());
}

void StrategyWorkerBench(BenchReport& report) {
  ConfigureLog({.level = LogLevel::kWarning});
  MemoryCase(report, "memory_breadth_first", Named("breadth_first"));
  MemoryCase(report, "memory_discovery", Named("discovery"));
  // The same strategy in Python, link by link and with a page's links at once.
  StrategyOptions python = Named("python");
  python.params["module"] = ORBWEAVER_EXAMPLES "/breadth_first.py";
  MemoryCase(report, "memory_python_breadth_first", python);
  python.params["module"] = ORBWEAVER_EXAMPLES "/breadth_first_batch.py";
  MemoryCase(report, "memory_python_batch", python);
}

ORBWEAVER_BENCH("strategy_worker", StrategyWorkerBench);

}  // namespace
}  // namespace orbweaver
