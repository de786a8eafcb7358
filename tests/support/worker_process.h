// A program of the product as a process that tests kill.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

#include "common/base/clock.h"

namespace orbweaver {

// Runs from construction to Kill or Stop; killed with -9 when it is destroyed. Its output goes to a
// file, which is shown when it ends by itself. Not thread-safe.
class WorkerProcess {
 public:
  // `arguments[0]` is the program's path.
  WorkerProcess(std::vector<std::string> arguments, const std::string& log_path);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // kill -9; returns when it is dead. A failure of the test when it was dead already.
  void Kill();

  // SIGTERM; the exit code, or -1 (and a failure of the test) when it is still there after
  // `timeout`.
  int Stop(Duration timeout);

  // False once it has ended by itself, which is a failure of the test.
  bool Running();

  pid_t pid() const { return pid_; }

 private:
  std::string Log() const;

  const std::string name_;
  const std::string log_path_;
  pid_t pid_ = -1;
};

}  // namespace orbweaver
