// Notices a strategy that does not come back from a call.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

#include "common/base/clock.h"
#include "strategy_worker/host/strategy_call.h"

namespace orbweaver {

// How long the calls that are under way have been so. Not thread-safe.
class CallAges {
 public:
  // `since` the last call of this. A sentence about the first call found that began before and has
  // lasted for `limit`; nothing when there is none.
  std::optional<std::string> FindOverdue(Duration since, Duration limit);

 private:
  struct Age {
    uint64_t number;
    Duration age;
  };
  std::map<const StrategyCall*, Age> ages_;
};

// Place: beside the thread that runs a strategy worker, for as long as it does.
class CallWatchdog {
 public:
  // Looks at all strategies of the process on a thread of its own. Calls `tell` on it, once, when a
  // call has lasted for `limit`, give or take an eighth; zero: never. A process that was stopped
  // meanwhile, or a machine that slept, did not spend that time in the call.
  CallWatchdog(Duration limit, std::function<void(std::string)> tell);
  ~CallWatchdog();

 private:
  void Run(Duration limit);

  const std::function<void(std::string)> tell_;
  absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace orbweaver
