// Says what a status was when it should have been OK.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include <gtest/gtest.h>

namespace orbweaver {

inline absl::Status StatusOf(const absl::Status& status) { return status; }
template <typename T>
absl::Status StatusOf(const absl::StatusOr<T>& status_or) {
  return status_or.status();
}

inline ::testing::AssertionResult IsOk(const absl::Status& status) {
  if (status.ok()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << status.ToString();
}

}  // namespace orbweaver

#define EXPECT_OK(expression) EXPECT_TRUE(::orbweaver::IsOk(::orbweaver::StatusOf(expression)))
#define ASSERT_OK(expression) ASSERT_TRUE(::orbweaver::IsOk(::orbweaver::StatusOf(expression)))
