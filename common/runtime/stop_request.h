// The request that this process stops: made once, seen everywhere.
#pragma once

#include <atomic>

#include "common/base/clock.h"

namespace orbweaver {

// Place: one in a process's main; what runs gets it as a const reference and looks at it between
// two pieces of work, waits on it instead of sleeping, or polls its file descriptor together with
// others. Thread-safe.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  // Idempotent and never taken back.
  void Request();

  // Costs one load.
  bool requested() const { return requested_.load(std::memory_order_acquire); }

  // Sleeps for `timeout`, shorter when a stop is requested meanwhile. Returns requested().
  bool WaitFor(Duration timeout) const;

  // Becomes readable, and stays so, when a stop is requested: for poll and io_context. Only to be
  // waited on.
  int fd() const { return fd_; }

 private:
  const int fd_;
  std::atomic<bool> requested_{false};
};

}  // namespace orbweaver
