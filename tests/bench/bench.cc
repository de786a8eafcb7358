#include "tests/bench/bench.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <sys/resource.h>

#include "fmt/format.h"

namespace orbweaver {
namespace {

// Several files may add cases to one benchmark: the store's and the bus's have one for each
// implementation.
std::map<std::string, std::vector<BenchFunction>>& Registry() {
  static std::map<std::string, std::vector<BenchFunction>> registry;
  return registry;
}

double ProcessCpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void PrintHelp() {
  std::puts(
      "usage: orbweaver-bench [NAME...] [--json]\n"
      "Runs the named benchmarks, or all. Values are work per CPU second of this process unless "
      "the unit says otherwise.\n"
      "Benchmarks:");
  for (const auto& [name, functions] : Registry()) fmt::print("  {}\n", name);
}

int Main(int argc, char** argv) {
  bool json = false;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) {
      json = true;
    } else if (std::strcmp(argv[i], "--help") == 0) {
      PrintHelp();
      return 0;
    } else if (Registry().contains(argv[i])) {
      names.push_back(argv[i]);
    } else {
      fmt::print(stderr, "bench: no benchmark '{}'. There are:", argv[i]);
      for (const auto& [name, functions] : Registry()) fmt::print(stderr, " {}", name);
      fmt::print(stderr, "\n");
      return 2;
    }
  }
  if (names.empty()) {
    for (const auto& [name, functions] : Registry()) names.push_back(name);
  }
  if (!json) {
    fmt::print("{:<12} {:<28} {:>14} {:<22} {:>8} {:>8}  {}\n", "bench", "case", "value", "unit",
               "cpu_s", "wall_s", "limit");
  }
  bool failed = false;
  for (const std::string& name : names) {
    BenchReport report(name, json);
    for (const BenchFunction function : Registry().at(name)) function(report);
    failed |= report.failed();
  }
  return failed ? 1 : 0;
}

}  // namespace

CpuTimer::CpuTimer()
    : cpu_start_(ProcessCpuSeconds()), wall_start_(std::chrono::steady_clock::now()) {}

double CpuTimer::CpuSeconds() const { return ProcessCpuSeconds() - cpu_start_; }

double CpuTimer::WallSeconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start_).count();
}

void BenchReport::Add(std::string_view name, double value, std::string_view unit, double cpu_s,
                      double wall_s, std::string_view limit) {
  if (json_) {
    fmt::print(
        R"({{"bench":"{}","case":"{}","value":{:.6g},"unit":"{}","cpu_s":{:.3f},"wall_s":{:.3f},"limit":"{}"}})"
        "\n",
        bench_, name, value, unit, cpu_s, wall_s, limit);
  } else {
    fmt::print("{:<12} {:<28} {:>14.6g} {:<22} {:>8.3f} {:>8.3f}  {}\n", bench_, name, value, unit,
               cpu_s, wall_s, limit);
  }
  std::fflush(stdout);
}

void BenchReport::AddRate(std::string_view name, double work, std::string_view unit,
                          const CpuTimer& timer, std::string_view limit) {
  const double cpu_s = timer.CpuSeconds();
  Add(name, work / cpu_s, unit, cpu_s, timer.WallSeconds(), limit);
}

void BenchReport::Fail(std::string_view name, std::string_view why) {
  failed_ = true;
  fmt::print(stderr, "bench {} {}: {}\n", bench_, name, why);
}

BenchRegistration::BenchRegistration(const char* name, BenchFunction function) {
  Registry()[name].push_back(function);
}

}  // namespace orbweaver

int main(int argc, char** argv) { return orbweaver::Main(argc, argv); }
