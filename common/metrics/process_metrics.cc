#include "common/metrics/process_metrics.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sys/resource.h>
#include <unistd.h>

namespace orbweaver {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double CpuSeconds() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return kUnknown;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// `field` of /proc/self/statm: 0 is virtual, 1 resident memory, both in pages.
double MemoryBytes(int field) {
  std::ifstream statm("/proc/self/statm");
  double pages = kUnknown;
  for (int i = 0; i <= field; ++i) statm >> pages;
  return statm ? pages * static_cast<double>(sysconf(_SC_PAGESIZE)) : kUnknown;
}

double OpenFiles() {
  std::error_code error;
  std::filesystem::directory_iterator entries("/proc/self/fd", error);
  if (error) return kUnknown;
  // One of them is the iterator's own.
  return static_cast<double>(std::distance(begin(entries), end(entries))) - 1;
}

double MaxOpenFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kUnknown;
  return limit.rlim_cur == RLIM_INFINITY ? std::numeric_limits<double>::infinity()
                                         : static_cast<double>(limit.rlim_cur);
}

}  // namespace

void AddProcessMetrics(MetricRegistry& registry) {
  registry.AddFunction(MetricKind::kCounter, "process_cpu_seconds_total",
                       "User and system CPU time spent", CpuSeconds);
  registry.AddFunction(MetricKind::kGauge, "process_resident_memory_bytes", "Resident memory size",
                       [] { return MemoryBytes(1); });
  registry.AddFunction(MetricKind::kGauge, "process_virtual_memory_bytes", "Virtual memory size",
                       [] { return MemoryBytes(0); });
  registry.AddFunction(MetricKind::kGauge, "process_open_fds", "Open file descriptors", OpenFiles);
  registry.AddFunction(MetricKind::kGauge, "process_max_fds",
                       "Most file descriptors that may be open", MaxOpenFiles);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  registry.AddGauge("process_start_time_seconds", "When the process started, since the Unix epoch")
      .Set(std::chrono::duration<double>(now).count());
}

}  // namespace orbweaver
