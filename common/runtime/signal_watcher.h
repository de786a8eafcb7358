// Turns SIGINT, SIGTERM and SIGHUP into a stop request, and sees to it that the process then ends.
// Where SIGHUP means something else, it never stops.
//
//   first signal      stop requested; the process ends by itself, with its own exit code
//   second signal     ends at once, exit code 128 + signal: 130 for SIGINT, 143 for SIGTERM,
//                     129 for SIGHUP; but see StopSignals
//   deadline passed   ends at once, exit code 124, however the stop was requested
//
// Ending at once is safe: it is a crash, which every part survives (ARCHITECTURE.md, "The crash
// protocol"); it only makes the next start do some work again.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "common/base/clock.h"
#include "common/runtime/stop_request.h"

namespace orbweaver {

inline constexpr int kExitStopDeadline = 124;

// The meaning of the signals that come, one after the other. Not thread-safe.
class StopSignals {
 public:
  // GNU timeout sends SIGTERM to the process and then to its group, a closed terminal SIGHUP and
  // the shell another: such a signal this soon after the first is the same one. A second Ctrl-C is
  // somebody's wish, however soon.
  static constexpr Duration kSame = std::chrono::seconds(1);

  enum class Meaning { kStop, kSameAgain, kEndAtOnce };
  Meaning Take(int signal, SteadyTime now);

 private:
  int first_ = 0;
  SteadyTime first_at_;
};

// Place: first thing in main, before any other thread is started: the threads inherit the blocked
// signals. They stay blocked after Stop, so that a late signal does not change the exit code.
// SIGPIPE is ignored for the whole process: a broken connection is an error code.
class SignalWatcher {
 public:
  // `stop` must outlive the watcher. `deadline` counts from the request to Stop. With `hang_up`
  // each SIGHUP calls it, on the watcher's thread; without it one that is ignored already, as nohup
  // has it, stays so.
  SignalWatcher(StopRequest& stop, Duration deadline, std::function<void()> hang_up = nullptr);
  ~SignalWatcher();

  void Start();
  // The process is about to end in good order. Idempotent.
  void Stop();

 private:
  void Run(int signal_fd);

  StopRequest& stop_;
  const Duration deadline_;
  const std::function<void()> hang_up_;
  StopRequest done_;
  std::thread thread_;
};

}  // namespace orbweaver
