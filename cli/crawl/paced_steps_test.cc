#include "cli/crawl/paced_steps.h"

#include <utility>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

constexpr Duration kInterval = std::chrono::hours(1);

class CountingWorker : public Stepped {
 public:
  CountingWorker(int& steps, int& closed) : steps_(steps), closed_(closed) {}
  absl::Status Step() override {
    ++steps_;
    return RetryError("the store is away");
  }
  absl::Status Close() override {
    ++closed_;
    return absl::OkStatus();
  }

 private:
  int& steps_;
  int& closed_;
};

class PacedStepsTest : public ::testing::Test {
 protected:
  int steps_ = 0;
  int closed_ = 0;
  bool has_time_ = true;
  ManualClock clock_;
  StopRequest stop_;
  PacedSteps worker_{std::make_unique<CountingWorker>(steps_, closed_), kInterval,
                     [this] { return has_time_; }, clock_, stop_};
};

TEST_F(PacedStepsTest, AStepTooEarlyWaitsForItsTimeOrTheStop) {
  EXPECT_TRUE(IsRetry(worker_.Step()));
  EXPECT_EQ(steps_, 1);
  // The wait of an hour ends at once.
  stop_.Request();
  EXPECT_OK(worker_.Step());
  EXPECT_EQ(steps_, 1);
  clock_.Advance(kInterval);
  EXPECT_TRUE(IsRetry(worker_.Step()));
  EXPECT_EQ(steps_, 2);
}

TEST_F(PacedStepsTest, WhereTheSpiderWaitsForRequestsNoStepWaits) {
  has_time_ = false;
  for (int i = 1; i <= 3; ++i) {
    EXPECT_TRUE(IsRetry(worker_.Step()));
    EXPECT_EQ(steps_, i);
  }
}

TEST_F(PacedStepsTest, TheEndWaitsForNothing) {
  EXPECT_TRUE(IsRetry(worker_.Step()));
  EXPECT_OK(worker_.Close());
  EXPECT_EQ(closed_, 1);
}

}  // namespace
}  // namespace orbweaver
