// The cost of a spider's commit while many domains rest.
#include <string>
#include <vector>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/bus/consumer.h"
#include "spider/feed/rests.h"
#include "tests/bench/bench.h"

namespace orbweaver {
namespace {

void RestsBench(BenchReport& report) {
  const WallTime now{std::chrono::hours(24 * 365 * 50)};
  for (const int resting : {100, 100'000}) {
    Random random(1);
    CommittedRests rests;
    const auto add = [&](int i) {
      rests.Add(fmt::format("www-{}.example", i),
                now + std::chrono::seconds(3600 + random.Below(86'400)));
    };
    for (int i = 0; i < resting; ++i) add(i);
    // Between two commits some domains rest for longer.
    constexpr int kAddedByCommit = 10;
    constexpr int kCommits = 20'000;
    const CpuTimer timer;
    for (int i = 0; i < kCommits; ++i) {
      for (int n = 0; n < kAddedByCommit; ++n) {
        add(static_cast<int>(random.Below(static_cast<uint64_t>(resting))));
      }
      CHECK(!rests.TakeMetadata(now, kMaxCommitMetadataBytes).empty());
    }
    report.AddRate(fmt::format("commit_{}_rests", resting), kCommits, "commits/cpu_s", timer,
                   "CPU: text of the 4,000 bytes that a commit keeps");
  }
}

ORBWEAVER_BENCH("rests", RestsBench);

}  // namespace
}  // namespace orbweaver
