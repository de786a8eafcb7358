// The simulator of the whole: how many of its seeds run in a second, and that none of them fails.
// ORBWEAVER_SIM_SEEDS says how many instead of 20,000.
#include <cstdlib>
#include <string>

#include "fmt/format.h"

#include "common/base/log.h"
#include "tests/bench/bench.h"
#include "tests/sim/whole/simulation.h"

namespace orbweaver {
namespace {

constexpr uint64_t kSeeds = 20'000;

void SimBench(BenchReport& report) {
  ConfigureLog({.level = LogLevel::kError, .module_levels = {}, .repeats_per_ten_seconds = 1});
  const char* const wanted = std::getenv("ORBWEAVER_SIM_SEEDS");
  const uint64_t seeds = wanted == nullptr ? kSeeds : std::strtoull(wanted, nullptr, 10);
  const CpuTimer timer;
  uint64_t failures = 0;
  uint64_t visits = 0;
  std::string first;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const sim::SimReport run = sim::Simulate(seed, sim::FaultPlan::All());
    visits += run.visits;
    if (run.failure.empty()) continue;
    if (++failures == 1) first = fmt::format("seed {}: {}", seed, run.failure);
  }
  const auto count = static_cast<double>(seeds);
  report.AddRate("seeds", count, "seeds/cpu_s", timer, "CPU: the cores' own work");
  report.AddRate("requests", static_cast<double>(visits), "requests/cpu_s", timer,
                 "of the simulated web");
  report.Add("failures", static_cast<double>(failures), "seeds", timer.CpuSeconds(),
             timer.WallSeconds(), "0 is right");
  if (failures > 0) report.Fail("failures", first);
}
ORBWEAVER_BENCH("sim", SimBench);

}  // namespace
}  // namespace orbweaver
