// The frame of `./run bench`: a benchmark measures something real and reports one row a case.
//
//   void UrlBench(BenchReport& report) {
//     const CpuTimer timer;
//     ... n URLs ...
//     report.AddRate("canonical", n, "urls/cpu_s", timer, "CPU: parsing");
//   }
//   ORBWEAVER_BENCH("url", UrlBench);
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/yardstick.h"

namespace orbweaver {

// CPU and wall time of this process since construction.
class CpuTimer {
 public:
  CpuTimer();
  double CpuSeconds() const;
  double WallSeconds() const;

 private:
  double cpu_start_;
  std::chrono::steady_clock::time_point wall_start_;
};

// Prints each row as it comes: a table, or a JSON object a line. Beside a rate or a time stands its
// ratio to the yardstick's speed right before and after it (yardstick.h).
class BenchReport {
 public:
  BenchReport(std::string bench, Yardstick& yardstick, bool json)
      : bench_(std::move(bench)),
        json_(json),
        yardstick_(yardstick),
        speed_before_(yardstick.Measure()) {}

  // `limit` is a word on what bounds it.
  void Add(std::string_view name, double value, std::string_view unit, double cpu_s, double wall_s,
           std::string_view limit);

  // Work per CPU second of this process.
  void AddRate(std::string_view name, double work, std::string_view unit, const CpuTimer& timer,
               std::string_view limit);

  // The case cannot be measured here; the whole run then fails, after the other cases.
  void Fail(std::string_view name, std::string_view why);
  bool failed() const { return failed_; }

 private:
  const std::string bench_;
  const bool json_;
  Yardstick& yardstick_;
  double speed_before_;
  bool failed_ = false;
};

using BenchFunction = void (*)(BenchReport&);

struct BenchRegistration {
  BenchRegistration(const char* name, BenchFunction function);
};

}  // namespace orbweaver

#define ORBWEAVER_BENCH(name, function) \
  static const ::orbweaver::BenchRegistration bench_registration_##function(name, function)
