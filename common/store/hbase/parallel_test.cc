#include "common/store/hbase/parallel.h"

#include <atomic>
#include <vector>

#include "absl/synchronization/barrier.h"
#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(ParallelTest, DoesEachPieceOnceWithAnyNumberOfThreads) {
  for (const int threads : {0, 1, 3}) {
    Parallel parallel(threads);
    for (const size_t count : {0, 1, 2, 100}) {
      std::vector<std::atomic<int>> done(count);
      parallel.Run(count, [&](size_t i) { ++done[i]; });
      for (const auto& times : done) EXPECT_EQ(times, 1);
    }
  }
}

TEST(ParallelTest, WorksAtTheSameTime) {
  Parallel parallel(3);
  // Nobody passes before all four are here.
  auto* const barrier = new absl::Barrier(4);
  parallel.Run(4, [&](size_t) {
    if (barrier->Block()) delete barrier;
  });
}

TEST(ParallelTest, ServesManyCallersAndNestedCallsWithoutWaitingForEachOther) {
  Parallel parallel(2);
  std::atomic<int> done = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back(
        [&] { parallel.Run(5, [&](size_t) { parallel.Run(5, [&](size_t) { ++done; }); }); });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(done, 100);
}

}  // namespace
}  // namespace orbweaver
