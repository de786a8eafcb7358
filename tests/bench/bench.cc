#include "tests/bench/bench.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
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

// More work done a second, or less time taken for it: both grow and fall with the machine's speed.
// Nothing for what does not, bytes for one.
std::optional<double> RatioTo(double speed, double value, std::string_view unit) {
  if (unit.ends_with("/cpu_s") || unit.ends_with("/s")) return value / speed;
  const std::string_view time = unit.substr(0, unit.find('/'));
  for (const std::string_view name : {"us", "ms", "s"}) {
    if (time == name || time.ends_with("_" + std::string(name))) return value * speed;
  }
  return std::nullopt;
}

void PrintHelp() {
  std::puts(
      "usage: orbweaver-bench [NAME...] [--json]\n"
      "Runs the named benchmarks, or all. Values are work per CPU second of this process unless "
      "the unit says otherwise.\n"
      "`ratio` is a rate divided by, or a time multiplied with, the speed of the yardstick right "
      "before and after:\na fixed piece of work, so that runs on a slower or busier machine can "
      "be compared.\n"
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
    fmt::print("{:<12} {:<28} {:>14} {:<22} {:>10} {:>8} {:>8}  {}\n", "bench", "case", "value",
               "unit", "ratio", "cpu_s", "wall_s", "limit");
  }
  bool failed = false;
  Yardstick yardstick;
  for (const std::string& name : names) {
    BenchReport report(name, yardstick, json);
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
  const double speed_after = yardstick_.Measure();
  const double speed = (speed_before_ + speed_after) / 2;
  speed_before_ = speed_after;
  const std::optional<double> ratio = RatioTo(speed, value, unit);
  if (json_) {
    fmt::print(
        R"({{"bench":"{}","case":"{}","value":{:.6g},"unit":"{}","ratio":{},"yardstick":{:.6g},"cpu_s":{:.3f},"wall_s":{:.3f},"limit":"{}"}})"
        "\n",
        bench_, name, value, unit, ratio.has_value() ? fmt::format("{:.4g}", *ratio) : "null",
        speed, cpu_s, wall_s, limit);
  } else {
    fmt::print("{:<12} {:<28} {:>14.6g} {:<22} {:>10} {:>8.3f} {:>8.3f}  {}\n", bench_, name, value,
               unit, ratio.has_value() ? fmt::format("{:.4g}", *ratio) : "", cpu_s, wall_s, limit);
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
