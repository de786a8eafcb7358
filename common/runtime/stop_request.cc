#include "common/runtime/stop_request.h"

#include <algorithm>
#include <limits>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/check.h"

namespace orbweaver {

StopRequest::StopRequest() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) { CHECK(fd_ >= 0); }

StopRequest::~StopRequest() { close(fd_); }

void StopRequest::Request() {
  if (requested_.exchange(true, std::memory_order_acq_rel)) return;
  CHECK(eventfd_write(fd_, 1) == 0);
}

bool StopRequest::WaitFor(Duration timeout) const {
  const SteadyTime now = SystemClock().Now();
  const SteadyTime deadline = timeout < SteadyTime::max() - now ? now + timeout : SteadyTime::max();
  while (!requested()) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - SystemClock().Now()).count();
    if (left <= 0) break;
    pollfd wanted{.fd = fd_, .events = POLLIN, .revents = 0};
    // An interrupted or shortened wait only goes round once more.
    poll(&wanted, 1, static_cast<int>(std::min<int64_t>(left, std::numeric_limits<int>::max())));
  }
  return requested();
}

}  // namespace orbweaver
