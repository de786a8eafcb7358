#include "common/runtime/signal_watcher.h"

#include <csignal>
#include <utility>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using Meaning = StopSignals::Meaning;

TEST(StopSignalsTest, TheFirstStops) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EQ(StopSignals().Take(signal, SteadyTime()), Meaning::kStop);
  }
}

TEST(StopSignalsTest, TheSameSentTwiceAtOnceIsOneAndLaterEndsIt) {
  StopSignals signals;
  const SteadyTime start{};
  ASSERT_EQ(signals.Take(SIGTERM, start), Meaning::kStop);
  EXPECT_EQ(signals.Take(SIGTERM, start), Meaning::kSameAgain);
  EXPECT_EQ(signals.Take(SIGHUP, start + StopSignals::kSame / 2), Meaning::kSameAgain);
  EXPECT_EQ(signals.Take(SIGTERM, start + StopSignals::kSame), Meaning::kEndAtOnce);
}

TEST(StopSignalsTest, ASecondCtrlCEndsItHoweverSoon) {
  const SteadyTime start{};
  for (const auto& [first, second] :
       {std::pair(SIGINT, SIGINT), std::pair(SIGTERM, SIGINT), std::pair(SIGINT, SIGTERM)}) {
    StopSignals signals;
    ASSERT_EQ(signals.Take(first, start), Meaning::kStop);
    EXPECT_EQ(signals.Take(second, start), Meaning::kEndAtOnce);
  }
}

}  // namespace
}  // namespace orbweaver
