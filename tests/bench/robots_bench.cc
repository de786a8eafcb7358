// The cost of asking robots.txt: each URL of a crawl is asked for once.
#include <string>
#include <vector>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/random.h"
#include "spider/robots/robots_cache.h"
#include "tests/bench/bench.h"

namespace orbweaver {
namespace {

// A file with so many rules in each of two groups, a fifth of them with special characters.
std::string File(int rules) {
  Random random(1);
  std::string file;
  for (const char* agent : {"User-agent: *\n", "User-agent: OtherBot\n"}) {
    file += agent;
    for (int i = 0; i < rules; ++i) {
      const auto n = random.Below(1000);
      const char* const rule = random.Chance(0.2) ? "Allow: " : "Disallow: ";
      file += rule +
              (random.Chance(0.8) ? fmt::format("/section-{}/private", n)
                                  : fmt::format("/section-{}/*.php$", n)) +
              "\n";
    }
  }
  return file;
}

std::vector<std::string> Paths() {
  Random random(2);
  std::vector<std::string> paths;
  for (int i = 0; i < 1000; ++i) {
    paths.push_back(fmt::format("/section-{}/some-title-of-a-page-{}.{}?page={}",
                                random.Below(1000), random.Below(100'000),
                                random.Chance(0.3) ? "php" : "html", random.Below(9)));
  }
  return paths;
}

void RobotsBench(BenchReport& report) {
  const std::vector<std::string> paths = Paths();
  for (const auto& [rules, count] : {std::pair{20, 5'000'000}, std::pair{2000, 1'000'000}}) {
    const RobotsRules compiled = RobotsRules::Parse(File(rules), "orbweaver");
    size_t allowed = 0;
    const CpuTimer timer;
    for (int i = 0; i < count; ++i) {
      allowed += compiled.Decide(paths[static_cast<size_t>(i) % paths.size()]).allowed ? 1 : 0;
    }
    CHECK(allowed > 0);
    report.AddRate(fmt::format("decide_{}_rules", rules), count, "decisions/cpu_s", timer,
                   rules > 100 ? "CPU: rules with *" : "CPU");
  }
  {
    const auto& clock = SystemClock();
    RobotsCache cache({}, clock);
    std::vector<std::string> hosts;
    for (int i = 0; i < 1000; ++i) {
      hosts.push_back(fmt::format("https://www.host{}.example", i));
      CHECK(cache.Ask(hosts.back(), "/").verdict == RobotsVerdict::kFetch);
      cache.OnAnswer(hosts.back(), {.status = 200, .body = File(20)});
    }
    constexpr int kCount = 3'000'000;
    const CpuTimer timer;
    for (int i = 0; i < kCount; ++i) {
      const auto n = static_cast<size_t>(i) % 1000;
      CHECK(cache.Ask(hosts[n * 7 % 1000], paths[n]).verdict != RobotsVerdict::kFetch);
    }
    report.AddRate("ask_1000_hosts", kCount, "decisions/cpu_s", timer, "CPU: cache misses");
  }
  const std::string file = File(20);
  constexpr int kFiles = 50'000;
  const CpuTimer timer;
  for (int i = 0; i < kFiles; ++i) CHECK(RobotsRules::Parse(file, "orbweaver").rule_count() > 0);
  report.AddRate("compile_20_rules", kFiles, "files/cpu_s", timer, "CPU: lines");
}

ORBWEAVER_BENCH("robots", RobotsBench);

}  // namespace
}  // namespace orbweaver
