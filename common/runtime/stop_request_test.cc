#include "common/runtime/stop_request.h"

#include <poll.h>
#include <thread>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

bool Readable(int fd) {
  pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&wanted, 1, 0) == 1;
}

TEST(StopRequestTest, IsSeenByWhoLooksAndByWhoPolls) {
  StopRequest stop;
  EXPECT_FALSE(stop.requested());
  EXPECT_FALSE(Readable(stop.fd()));
  EXPECT_FALSE(stop.WaitFor(std::chrono::milliseconds(1)));
  stop.Request();
  stop.Request();
  EXPECT_TRUE(stop.requested());
  EXPECT_TRUE(Readable(stop.fd()));
  EXPECT_TRUE(stop.WaitFor(Duration::max()));
}

TEST(StopRequestTest, WakesEveryThreadThatWaits) {
  StopRequest stop;
  std::thread first([&stop] { EXPECT_TRUE(stop.WaitFor(Duration::max())); });
  std::thread second([&stop] { EXPECT_TRUE(stop.WaitFor(std::chrono::hours(1))); });
  stop.Request();
  first.join();
  second.join();
}

TEST(StopRequestTest, AWaitInThePastReturnsAtOnce) {
  StopRequest stop;
  EXPECT_FALSE(stop.WaitFor(std::chrono::seconds(-1)));
}

}  // namespace
}  // namespace orbweaver
