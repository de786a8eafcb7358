// A program of the product as a process that tests kill.
#pragma once

#include <ios>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "common/base/clock.h"

namespace orbweaver {

// Runs from construction to Kill or Stop; killed with -9 when it is destroyed. Its output is
// appended to a file, and shown when it ends by itself. Not thread-safe.
class WorkerProcess {
 public:
  // `arguments[0]` is the program's path.
  WorkerProcess(std::vector<std::string> arguments, const std::string& log_path);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // kill -9; returns when it is dead. A failure of the test when it was dead already.
  void Kill();

  // SIGTERM, as soon as it is ready for it; the exit code, or -1 (and a failure of the test) when
  // it is still there after `timeout`.
  int Stop(Duration timeout);

  // False once it has ended by itself, which is a failure of the test.
  bool Running();

  // Waits until `text` stands in its output, at most `timeout`.
  bool Says(std::string_view text, Duration timeout);

  // As Says; false, and a failure of the test, when it does not
  // after `timeout` or the process has ended by itself.
  bool AwaitOutput(std::string_view text, Duration timeout);

  // The end of its output, as part of a failure.
  void ShowLog() const;

  pid_t pid() const { return pid_; }

 private:
  std::string Log() const;

  const std::string name_;
  const std::string log_path_;
  std::streamoff log_start_ = 0;  // what others have written stands before
  pid_t pid_ = -1;
};

}  // namespace orbweaver
