#include "tests/support/killed_child.h"

#include <signal.h>
#include <stdlib.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/check.h"

namespace orbweaver {
namespace {

constexpr char kPipeVariable[] = "ORBWEAVER_TEST_CHILD_PIPE";

[[noreturn]] void BeTheChild(const std::function<void(const Acked&)>& work) {
  const int pipe = std::stoi(getenv(kPipeVariable));
  work([pipe](uint64_t count) {
    // Less than PIPE_BUF bytes: written whole or not at all.
    if (write(pipe, &count, sizeof count) != sizeof count) _exit(1);
  });
  _exit(0);
}

[[noreturn]] void StartTheChild(int pipe, const std::string& filter) {
  setenv(kPipeVariable, std::to_string(pipe).c_str(), 1);
  unsetenv("GTEST_OUTPUT");
  execl("/proc/self/exe", "/proc/self/exe", filter.c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

bool IsKilledChild() { return getenv(kPipeVariable) != nullptr; }

std::string SharedWithChild(const std::string& key, const std::string& value) {
  const std::string variable = "ORBWEAVER_TEST_CHILD_" + key;
  if (!IsKilledChild()) setenv(variable.c_str(), value.c_str(), 1);
  const char* const shared = getenv(variable.c_str());
  CHECK(shared != nullptr);
  return shared;
}

uint64_t RunInKilledChild(const std::function<void(const Acked&)>& work, uint64_t kill_at) {
  if (IsKilledChild()) BeTheChild(work);
  int ends[2];
  CHECK(pipe(ends) == 0);
  const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string filter =
      std::string("--gtest_filter=") + test->test_suite_name() + "." + test->name();
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    close(ends[0]);
    StartTheChild(ends[1], filter);
  }
  close(ends[1]);
  uint64_t acked = 0, count = 0;
  bool killed = false;
  // To the end of the pipe: what was acknowledged between the kill and the death counts too.
  while (read(ends[0], &count, sizeof count) == sizeof count) {
    acked = count;
    if (acked >= kill_at && !killed) {
      kill(child, SIGKILL);
      killed = true;
    }
  }
  close(ends[0]);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
      << "the child ended by itself with status " << status << " after " << acked << " steps";
  return acked;
}

}  // namespace orbweaver
