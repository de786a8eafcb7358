// Keeps a worker in its consumer group while it works on what it has read.
#pragma once

#include <span>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/bus/consumer.h"

namespace orbweaver {

// A member that does not poll for the session timeout is dead to its group: its partitions go to
// others, who begin the same long work anew. So work that may take long stops when IsDue says so,
// keeps what it has, and goes on after a Beat.
//
// Place: in a worker's core, around its consumer. Not thread-safe.
class GroupPulse {
 public:
  // A worker works for about so long between two polls; a call to store or bus may add its timeout.
  static constexpr Duration kInterval = std::chrono::seconds(1);

  // How long one call to store or bus may take at most, so that a worker that waits for one stays
  // in its group.
  static std::chrono::milliseconds LongestCall(Duration session_timeout) {
    return std::chrono::floor<std::chrono::milliseconds>(session_timeout / 3);
  }

  // Both must outlive it.
  GroupPulse(Consumer& consumer, const Clock& clock);

  bool IsDue() const { return clock_.Now() - last_poll_ >= kInterval; }

  // Consumer::Poll, which counts.
  absl::Status Poll(const PollLimits& limits, Duration timeout, MessageBatch* batch);

  // Serves rebalances and nothing else: pauses `reading`, the partitions whose messages would come
  // otherwise, until Resume. The listener pauses those that come meanwhile, or takes what a later
  // Poll brings of them. Errors:
  //   OutOfRange  a cut log, as Consumer::Poll says.
  //   Fenced      as Consumer::Poll says.
  // That a broker is away is no error; other errors come with the next Poll again.
  absl::Status Beat(std::span<const PartitionId> reading);

  bool paused() const { return paused_; }
  // `reading` are those whose messages are wanted now.
  absl::Status Resume(std::span<const PartitionId> reading);

 private:
  Consumer& consumer_;
  const Clock& clock_;
  SteadyTime last_poll_;
  bool paused_ = false;
};

}  // namespace orbweaver
