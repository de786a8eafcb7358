#include "common/worker/step_sequence.h"

#include <string>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

// Notes the steps that it makes.
class Worker {
 public:
  using Steps = StepSequence<Worker>;

  absl::Status Advance() {
    return steps.Advance(*this, [this] { return is_over; });
  }

  std::string made;
  int read_in = 1;  // calls
  absl::Status write_fails;
  bool is_over = false;

  Steps steps{Table()};

 private:
  static std::span<const Steps::Step> Table() {
    static constexpr Steps::Step kSteps[] = {
        {"read", &Worker::Read}, {"write", &Worker::Write}, {"commit", &Worker::Commit}};
    return kSteps;
  }
  absl::StatusOr<bool> Read() {
    made += 'r';
    return --read_in == 0;
  }
  absl::StatusOr<bool> Write() {
    made += 'w';
    RETURN_IF_ERROR(write_fails);
    return true;
  }
  absl::StatusOr<bool> Commit() {
    made += 'c';
    return true;
  }
};

TEST(StepSequence, RunsAllStepsWhenThereIsTime) {
  Worker worker;
  EXPECT_FALSE(worker.steps.busy());
  EXPECT_EQ(worker.steps.name(), "");
  worker.steps.Begin();
  EXPECT_EQ(worker.steps.name(), "read");
  ASSERT_OK(worker.Advance());
  EXPECT_EQ(worker.made, "rwc");
  EXPECT_FALSE(worker.steps.busy());
  ASSERT_OK(worker.Advance());
  EXPECT_EQ(worker.made, "rwc") << "there is nothing to do";
}

TEST(StepSequence, AStepThatIsNotDoneIsMadeAgain) {
  Worker worker;
  worker.read_in = 3;
  worker.steps.Begin();
  ASSERT_OK(worker.Advance());
  ASSERT_OK(worker.Advance());
  EXPECT_EQ(worker.made, "rr");
  EXPECT_EQ(worker.steps.name(), "read");
  ASSERT_OK(worker.Advance());
  EXPECT_EQ(worker.made, "rrrwc");
}

TEST(StepSequence, AStepThatFailedIsMadeAgainAndNoneBeforeIt) {
  Worker worker;
  worker.write_fails = RetryError("not now");
  worker.steps.Begin();
  EXPECT_TRUE(IsRetry(worker.Advance()));
  EXPECT_EQ(worker.steps.name(), "write");
  worker.write_fails = absl::OkStatus();
  ASSERT_OK(worker.Advance());
  EXPECT_EQ(worker.made, "rwwc");
}

TEST(StepSequence, StopsBetweenTwoStepsWhenTheTimeIsOver) {
  Worker worker;
  worker.is_over = true;
  worker.steps.Begin();
  ASSERT_OK(worker.Advance());
  EXPECT_EQ(worker.made, "r");
  ASSERT_OK(worker.Advance());
  EXPECT_EQ(worker.made, "rw");
  ASSERT_OK(worker.Advance());
  EXPECT_EQ(worker.made, "rwc");
  EXPECT_FALSE(worker.steps.busy());
}

TEST(StepSequence, MayBeginInTheMiddle) {
  Worker worker;
  worker.steps.Begin(2);
  ASSERT_OK(worker.Advance());
  EXPECT_EQ(worker.made, "c");
}

}  // namespace
}  // namespace orbweaver
