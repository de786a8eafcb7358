#include "tests/support/worker_process.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/check.h"

namespace orbweaver {
namespace {

constexpr auto kLookAgain = std::chrono::milliseconds(20);

}  // namespace

WorkerProcess::WorkerProcess(std::vector<std::string> arguments, const std::string& log_path)
    : name_(arguments.at(0)), log_path_(log_path) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const int log = open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  CHECK(log >= 0);
  log_start_ = lseek(log, 0, SEEK_END);
  pid_ = fork();
  CHECK(pid_ >= 0);
  if (pid_ == 0) {
    // Not to be left behind by a test that dies.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(log);
}

WorkerProcess::~WorkerProcess() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void WorkerProcess::Kill() {
  ASSERT_TRUE(Running());
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

int WorkerProcess::Stop(Duration timeout) {
  // Before that it has no signal handlers.
  if (!AwaitOutput(" started; admin server", timeout)) return -1;
  // A descriptor of the process becomes readable when it ends.
  const int ended = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  CHECK(ended >= 0);
  kill(pid_, SIGTERM);
  pollfd waiting{.fd = ended, .events = POLLIN, .revents = 0};
  const int ready = poll(
      &waiting, 1,
      static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count()));
  close(ended);
  if (ready != 1) {
    ADD_FAILURE() << name_ << " goes on after SIGTERM:\n" << Log();
    return -1;
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  ADD_FAILURE() << name_ << " died of signal " << WTERMSIG(status) << ":\n" << Log();
  return -1;
}

bool WorkerProcess::Running() {
  if (pid_ < 0) return false;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == 0) return true;
  pid_ = -1;
  ADD_FAILURE() << name_ << " ended by itself, status " << status << ":\n" << Log();
  return false;
}

bool WorkerProcess::Says(std::string_view text, Duration timeout) {
  const SteadyTime deadline = SystemClock().Now() + timeout;
  while (Running()) {
    if (Log().find(text) != std::string::npos) return true;
    if (SystemClock().Now() >= deadline) return false;
    std::this_thread::sleep_for(kLookAgain);  // a file that grows wakes nobody
  }
  return false;
}

bool WorkerProcess::AwaitOutput(std::string_view text, Duration timeout) {
  if (Says(text, timeout)) return true;
  ADD_FAILURE() << name_ << " does not say '" << text << "':\n" << Log();
  return false;
}

void WorkerProcess::ShowLog() const {
  constexpr size_t kShown = 8000;
  const std::string log = Log();
  ADD_FAILURE() << name_ << " says:\n" << log.substr(log.size() - std::min(kShown, log.size()));
}

std::string WorkerProcess::Log() const {
  std::ifstream file(log_path_);
  file.seekg(log_start_);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace orbweaver
