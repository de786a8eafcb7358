// A recorder that is killed with -9 before any action on its files. This program is linked with
// --wrap, so that each of these calls of the product comes by here first.
#include <cstdarg>
#include <fcntl.h>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/random.h"
#include "tests/support/recorded_logs.h"

namespace orbweaver::lab {
namespace {

// Counts down to the process's death; negative: it lives.
int64_t actions_left = -1;

void BeforeAction() {
  if (actions_left < 0) return;
  if (actions_left-- == 0) raise(SIGKILL);
}

}  // namespace
}  // namespace orbweaver::lab

extern "C" {
int __real_open(const char* path, int flags, ...);
int __wrap_open(const char* path, int flags, ...) {
  orbweaver::lab::BeforeAction();
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return __real_open(path, flags, mode);
}
ssize_t __real_write(int fd, const void* bytes, size_t size);
ssize_t __wrap_write(int fd, const void* bytes, size_t size) {
  orbweaver::lab::BeforeAction();
  // The first half gets there, as of a page that was cut off in the middle.
  if (orbweaver::lab::actions_left == 0 && size > 1) return __real_write(fd, bytes, size / 2);
  return __real_write(fd, bytes, size);
}
// The writes of a dead process stay without it; only a power cut would tell.
int __wrap_fsync(int) {
  orbweaver::lab::BeforeAction();
  return 0;
}
int __real_rename(const char* from, const char* to);
int __wrap_rename(const char* from, const char* to) {
  orbweaver::lab::BeforeAction();
  return __real_rename(from, to);
}
int __real_close(int fd);
int __wrap_close(int fd) {
  orbweaver::lab::BeforeAction();
  return __real_close(fd);
}
}

namespace orbweaver::lab {
namespace {

class KilledRecorderTest : public RecordedLogs {
 protected:
  enum class End { kKilled, kDone, kFailed };

  // Records all that is in the logs in a process that is killed before its action of this number.
  End RecordInAProcess(int64_t actions, RecorderOptions options) {
    const pid_t child = fork();
    if (child == 0) {
      actions_left = actions;
      const absl::Status status = RecordAll(options);
      _exit(status.ok() ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return End::kKilled;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? End::kDone : End::kFailed;
  }
};

TEST_F(KilledRecorderTest, BeforeAnyOneActionNothingIsLostAndNothingTwice) {
  SendPages(0, 4);
  const auto expected = InLog(&bus_, kSpiderLogTopic);
  const RecorderOptions options{.file_bytes = 1500};
  int64_t actions = 0;
  for (End end = End::kKilled; end != End::kDone; ++actions) {
    std::filesystem::remove_all(folder());
    end = RecordInAProcess(actions, options);
    ASSERT_NE(end, End::kFailed) << actions;
    ASSERT_OK(RecordAll(options)) << actions;
    ASSERT_EQ(InRecording(kSpiderLogTopic), expected) << actions;
    for (const auto& file : FilesInFolder()) ASSERT_NE(file.extension(), ".open") << actions;
  }
  EXPECT_GT(actions, 50) << "the calls are counted";
}

TEST_F(KilledRecorderTest, TwoHundredHistoriesOfDeathsKeepEachRecordOnce) {
  int killed = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    ASSERT_OK(broker_.MakeAnew(kSpiderLogTopic));
    std::filesystem::remove_all(folder());
    int pages = 0;
    // The log grows meanwhile, and each life writes files of another size.
    for (uint64_t life = 0; life < 4; ++life) {
      const int more = static_cast<int>(random.Below(6));
      SendPages(pages, pages + more);
      pages += more;
      const RecorderOptions options{.file_bytes = 300 + random.Below(2000)};
      const End end = RecordInAProcess(static_cast<int64_t>(random.Below(60)), options);
      ASSERT_NE(end, End::kFailed) << seed;
      killed += end == End::kKilled;
    }
    ASSERT_OK(RecordAll()) << seed;
    ASSERT_EQ(InRecording(kSpiderLogTopic), InLog(&bus_, kSpiderLogTopic)) << seed;
  }
  EXPECT_GT(killed, 200);
}

}  // namespace
}  // namespace orbweaver::lab
