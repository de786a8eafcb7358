#include "common/runtime/step_loop.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

// Cores that do what a script says; every call becomes a word of `trace`.
class StepLoopTest : public ::testing::Test {
 protected:
  class Core : public Stepped {
   public:
    explicit Core(StepLoopTest& test) : test_(test) {}
    ~Core() override { test_.trace_.push_back("gone"); }
    absl::Status Step() override { return test_.Next("step"); }
    absl::Status Close() override { return test_.Next("close"); }

   private:
    StepLoopTest& test_;
  };

  // The script's next answer; the stop is requested when it is used up, and then all goes well.
  absl::Status Next(const char* call) {
    trace_.emplace_back(call);
    if (next_ == script_.size()) {
      stop_.Request();
      return absl::OkStatus();
    }
    return script_[next_++];
  }

  absl::Status Run(std::vector<absl::Status> script) {
    script_ = std::move(script);
    return RunSteps(
        "test",
        [this]() -> absl::StatusOr<std::unique_ptr<Stepped>> {
          RETURN_IF_ERROR(Next("make"));
          return std::make_unique<Core>(*this);
        },
        stop_);
  }

  std::vector<std::string> trace_;
  std::vector<absl::Status> script_;
  size_t next_ = 0;
  StopRequest stop_;
};

using Trace = std::vector<std::string>;
const absl::Status kOk = absl::OkStatus();

TEST_F(StepLoopTest, StepsUntilTheStopAndThenCloses) {
  EXPECT_OK(Run({kOk, kOk, kOk}));
  EXPECT_EQ(trace_, (Trace{"make", "step", "step", "step", "close", "gone"}));
}

TEST_F(StepLoopTest, GoesOnWithTheSameCoreAfterARetry) {
  EXPECT_OK(Run({RetryError("away"), kOk, RetryError("away"), kOk}));
  EXPECT_EQ(trace_, (Trace{"make", "make", "step", "step", "step", "close", "gone"}));
}

TEST_F(StepLoopTest, MakesAFencedCoreAnew) {
  EXPECT_OK(Run({kOk, FencedError("another's"), kOk}));
  EXPECT_EQ(trace_, (Trace{"make", "step", "gone", "make", "step", "close", "gone"}));
}

TEST_F(StepLoopTest, ReturnsWhatIsFatal) {
  EXPECT_TRUE(IsFatal(Run({kOk, FatalError("disk full")})));
  EXPECT_EQ(trace_, (Trace{"make", "step", "gone"}));
}

TEST_F(StepLoopTest, StopsWithoutACoreWhenServersNeverCame) {
  stop_.Request();
  EXPECT_OK(Run({RetryError("away")}));
  EXPECT_EQ(trace_, Trace{});
}

TEST_F(StepLoopTest, ClosingIsTriedAgain) {
  EXPECT_OK(Run({kOk, kOk}));
  stop_.Request();
  trace_.clear();
  // A stop during the first step: two failed closings, then one that works.
  StopRequest stop;
  std::vector<absl::Status> closings = {RetryError("away"), RetryError("away"), kOk};
  size_t closed = 0;
  class Closing : public Stepped {
   public:
    Closing(StopRequest& stop, std::vector<absl::Status>& closings, size_t& closed)
        : stop_(stop), closings_(closings), closed_(closed) {}
    absl::Status Step() override {
      stop_.Request();
      return absl::OkStatus();
    }
    absl::Status Close() override { return closings_[closed_++]; }

   private:
    StopRequest& stop_;
    std::vector<absl::Status>& closings_;
    size_t& closed_;
  };
  EXPECT_OK(RunSteps(
      "test",
      [&]() -> absl::StatusOr<std::unique_ptr<Stepped>> {
        return std::make_unique<Closing>(stop, closings, closed);
      },
      stop));
  EXPECT_EQ(closed, 3u);
}

}  // namespace
}  // namespace orbweaver
