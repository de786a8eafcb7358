// Turns SIGINT and SIGTERM into a stop request, and sees to it that the process then ends.
//
//   first signal      stop requested; the process ends by itself, with its own exit code
//   second signal     ends at once, exit code 128 + signal: 130 for SIGINT, 143 for SIGTERM
//   deadline passed   ends at once, exit code 124, however the stop was requested
//
// Ending at once is safe: it is a crash, which every part survives (ARCHITECTURE.md, "The crash
// protocol"); it only makes the next start do some work again.
#pragma once

#include <thread>

#include "common/base/clock.h"
#include "common/runtime/stop_request.h"

namespace orbweaver {

inline constexpr int kExitStopDeadline = 124;

// Place: first thing in main, before any other thread is started: the threads inherit the blocked
// signals. They stay blocked after Stop, so that a late signal does not change the exit code.
// SIGPIPE is ignored for the whole process: a broken connection is an error code.
class SignalWatcher {
 public:
  // `stop` must outlive the watcher. `deadline` counts from the request to Stop.
  SignalWatcher(StopRequest& stop, Duration deadline);
  ~SignalWatcher();

  void Start();
  // The process is about to end in good order. Idempotent.
  void Stop();

 private:
  void Run(int signal_fd);

  StopRequest& stop_;
  const Duration deadline_;
  StopRequest done_;
  std::thread thread_;
};

}  // namespace orbweaver
