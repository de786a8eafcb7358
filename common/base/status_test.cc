#include "common/base/status.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(StatusTest, EveryErrorIsOfOneKind) {
  EXPECT_TRUE(IsRetry(RetryError("broker {}: down", 1)));
  EXPECT_TRUE(IsRetry(TimeoutError("late")));
  EXPECT_TRUE(IsPoison(PoisonError("bytes")));
  EXPECT_TRUE(IsFatal(FatalError("disk full")));
  EXPECT_FALSE(IsRetry(absl::OkStatus()));
  EXPECT_FALSE(IsFatal(absl::OkStatus()));
}

TEST(StatusTest, AnErrorOfALibraryWithAnUnforeseenCodeStopsTheWorker) {
  EXPECT_TRUE(IsFatal(absl::UnknownError("?")));
}

TEST(StatusTest, FencedIsToldApart) {
  EXPECT_TRUE(IsFenced(FencedError("partition 3: epoch 9 stands after 7")));
  EXPECT_FALSE(IsFenced(RetryError("down")));
}

TEST(StatusTest, ContextIsAddedAndTheKindKept) {
  const absl::Status status = Annotate(RetryError("connection refused"), "put row 'x'");
  EXPECT_TRUE(IsRetry(status));
  EXPECT_EQ(MessageOf(status), "put row 'x': connection refused");
  EXPECT_TRUE(Annotate(absl::OkStatus(), "put").ok());
}

TEST(StatusTest, ANameInTheCallersScopeIsNotCapturedByTheMacros) {
  struct Holder {
    absl::Status status_ = RetryError("held");
    absl::Status Run() const {
      RETURN_IF_ERROR(status_);
      return absl::OkStatus();
    }
  };
  EXPECT_EQ(MessageOf(Holder().Run()), "held");
}

TEST(StatusDeathTest, CheckOkEndsTheProcessWithTheMessage) {
  CHECK_OK(absl::OkStatus());
  EXPECT_DEATH(CHECK_OK(FatalError("metric 'x': no help")), "metric 'x': no help");
}

TEST(StatusTest, MacrosReturnTheFirstError) {
  const auto run = [](absl::StatusOr<int> input) -> absl::StatusOr<int> {
    RETURN_IF_ERROR(input.ok() ? absl::OkStatus() : absl::OkStatus());
    ASSIGN_OR_RETURN(const int value, input);
    return value + 1;
  };
  EXPECT_EQ(run(1).value(), 2);
  EXPECT_TRUE(IsFatal(run(FatalError("no")).status()));
}

}  // namespace
}  // namespace orbweaver
