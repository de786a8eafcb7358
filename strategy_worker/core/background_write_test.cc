#include "strategy_worker/core/background_write.h"

#include <thread>

#include "absl/synchronization/notification.h"
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

TEST(DirectWrite, RunsAtOnceAndTellsTheResultOnce) {
  DirectWrite write;
  EXPECT_OK(write.Await());
  write.Start([] { return RetryError("not now"); });
  EXPECT_TRUE(IsRetry(write.Await()));
  EXPECT_OK(write.Await());
}

TEST(ThreadWrite, LetsItsCallerGoOnWhileItRuns) {
  const auto write = NewThreadWrite();
  absl::Notification goes_on;
  std::thread::id ran_on;
  write->Start([&] {
    goes_on.WaitForNotification();
    ran_on = std::this_thread::get_id();
    return RetryError("not now");
  });
  goes_on.Notify();
  EXPECT_TRUE(IsRetry(write->Await()));
  EXPECT_NE(ran_on, std::this_thread::get_id());
}

TEST(ThreadWrite, WaitsForNothingWhenNothingWasStarted) {
  const auto write = NewThreadWrite();
  EXPECT_OK(write->Await());
  write->Start([] { return absl::OkStatus(); });
  EXPECT_OK(write->Await());
  EXPECT_OK(write->Await());
}

TEST(ThreadWrite, RunsOneAfterTheOther) {
  const auto write = NewThreadWrite();
  int runs = 0;
  for (int i = 0; i < 100; ++i) {
    write->Start([&runs] {
      ++runs;
      return absl::OkStatus();
    });
    EXPECT_OK(write->Await());
    EXPECT_EQ(runs, i + 1);
  }
}

}  // namespace
}  // namespace orbweaver
