// The yardstick itself, for those who measure with other programs: its ratio is one.
#include "tests/bench/bench.h"

namespace orbweaver {
namespace {

void YardstickBench(BenchReport& report) {
  Yardstick yardstick;
  const CpuTimer timer;
  const double speed = yardstick.Measure();
  report.Add("speed", speed, "rounds/cpu_s", timer.CpuSeconds(), timer.WallSeconds(),
             "CPU and memory");
}

ORBWEAVER_BENCH("yardstick", YardstickBench);

}  // namespace
}  // namespace orbweaver
