// Whether a strategy in Python keeps memory: breadth_first in the strategy worker's core under load
// for ten minutes, or for the seconds that ORBWEAVER_SOAK_SECONDS says. Logs and store are in
// memory too, so each round has new ones; the strategy is the same in all.
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>

#include "fmt/format.h"

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
constexpr int kPages = 2'000;
constexpr int kPartitions = 4;
constexpr double kSeconds = 600;
// Caches are full after a tenth: a minute of ten.
constexpr double kWarmUp = 0.1;
// Of resident memory, whose pages the allocator gives back when it likes. One object of 56 bytes
// for each event would be ten times as much.
constexpr double kMostGrowthMib = 16;
// Of Python's blocks, counted after a collection: a dictionary may grow now and then.
constexpr int64_t kMostBlocks = 500;

struct Memory {
  double resident_mib = 0;
  int64_t blocks = 0;  // Python's
};

Memory Measure(Strategy& strategy) {
  Memory memory;
  std::ifstream statm("/proc/self/statm");
  double pages = 0;
  statm >> pages >> pages;
  memory.resident_mib = pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
  const std::string told = strategy.Adopt("", 0, "").value();
  CHECK(std::from_chars(told.data(), told.data() + told.size(), memory.blocks).ec == std::errc());
  return memory;
}

// New logs, a new store, other URLs.
void Round(Strategy& strategy, uint64_t seed) {
  StrategyWorld world(kPartitions);
  PageWorkload workload({.hosts = 200, .known = 50, .links = kLinks, .seed = seed});
  const auto append = [&world](const std::vector<PageWorkload::Entry>& entries) {
    for (const PageWorkload::Entry& entry : entries) {
      world.AppendRaw(world.PartitionOfDomain(entry.domain), entry.domain, entry.value);
    }
  };
  append(workload.Seeds());
  for (int i = 0; i < kPages; ++i) append(workload.NextPage());
  const auto core = world.NewCore(strategy, {});
  CHECK_OK(world.RunUntilIdle(*core));
  CHECK(world.DeadLetterCauses().empty());
}

void PythonSoakBench(BenchReport& report) {
  ConfigureLog({.level = LogLevel::kWarning});
  const char* const wanted = std::getenv("ORBWEAVER_SOAK_SECONDS");
  const double seconds = wanted == nullptr ? kSeconds : std::strtod(wanted, nullptr);
  const auto strategy =
      LoadStrategy({.name = "python", .params = {{"module", ORBWEAVER_COUNTED_STRATEGY}}}, 1);
  if (!strategy.ok()) return report.Fail("links", MessageOf(strategy.status()));
  const CpuTimer timer;
  uint64_t rounds = 0;
  const auto run_until = [&](double end) {
    do {
      Round(**strategy, ++rounds);
    } while (timer.WallSeconds() < end);
  };
  run_until(seconds * kWarmUp);
  const Memory first = Measure(**strategy);
  run_until(seconds);
  const Memory last = Measure(**strategy);
  report.AddRate("links", static_cast<double>(rounds) * kPages * kLinks, "links/cpu_s", timer,
                 "with the making of logs and stores");
  const auto add = [&](const char* name, double value, const char* unit, double most) {
    report.Add(name, value, unit, timer.CpuSeconds(), timer.WallSeconds(),
               fmt::format("at most {}", most));
    if (value > most) report.Fail(name, fmt::format("{} {} more than after a tenth", value, unit));
  };
  report.Add("resident", last.resident_mib, "MiB", timer.CpuSeconds(), timer.WallSeconds(),
             "logs and store of the last round");
  add("resident_growth", last.resident_mib - first.resident_mib, "MiB", kMostGrowthMib);
  add("python_blocks_growth", static_cast<double>(last.blocks - first.blocks), "blocks",
      kMostBlocks);
}
ORBWEAVER_BENCH("python_soak", PythonSoakBench);

}  // namespace
}  // namespace orbweaver
