#include "spider/fetch/failure_cause.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(StatusTest, WhatAnAnswersStatusComesDownTo) {
  for (const uint32_t page : {200u, 204u, 299u, 304u, 301u, 302u, 303u, 307u, 308u}) {
    EXPECT_EQ(FailureOfStatus(page), std::nullopt) << page;
  }
  EXPECT_EQ(FailureOfStatus(404), FailureCause::kHttp4xx);
  EXPECT_EQ(FailureOfStatus(503), FailureCause::kHttp5xx);
  for (const uint32_t other : {300u, 305u, 600u, 999u}) {
    EXPECT_EQ(FailureOfStatus(other), FailureCause::kHttpOther) << other;
  }
}

}  // namespace
}  // namespace orbweaver
