// Files on file systems that lack what others have, and what keeps one from being finished. The
// calls that fail are made to fail by the kernel, by a filter that ends with a child process.
#include "spider/publish/output_file.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/check.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;

// A renameat2 with flags fails by `rename_error` from now on, any link by `link_error` if that is
// not 0.
void FailCalls(uint32_t rename_error, uint32_t link_error) {
  const uint32_t link_verdict =
      link_error == 0 ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | link_error;
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_linkat, 6, 0),
#ifdef SYS_link
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_link, 5, 0),
#else
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_linkat, 5, 0),
#endif
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[4])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | rename_error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, link_verdict),
  };
  const sock_fprog filter{.len = std::size(program), .filter = program};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
}

class OutputFileTest : public ::testing::Test {
 protected:
  std::string At(std::string_view name) const { return (folder_.path() / name).string(); }
  std::string ReadAll(std::string_view name) const {
    std::ifstream file(At(name), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void WriteAll(std::string_view name, std::string_view text) const {
    std::ofstream(At(name), std::ios::binary) << text;
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  // As one file of each archive does: opened, written, finished.
  void WriteFile(std::string_view name, std::string_view text) const {
    auto file = OutputFile::Create(folder_.path().string(), name);
    ASSERT_OK(file);
    ASSERT_OK((*file)->Append(text));
    ASSERT_OK((*file)->Finish());
  }
  int Recover() const {
    return RecoverOutputFiles(folder_.path().string(), ".txt", [](int fd, const std::string&) {
      struct stat found{};
      CHECK(fstat(fd, &found) == 0);
      return static_cast<uint64_t>(found.st_size);
    });
  }

  const ScratchFolder folder_;
};
using NameList = std::vector<std::string>;

// `check` in a child process in which calls fail.
template <typename Check>
void WithFailing(uint32_t rename_error, uint32_t link_error, const Check& check) {
  EXPECT_EXIT(
      {
        FailCalls(rename_error, link_error);
        check();
        _exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "")
      << strerror(static_cast<int>(rename_error)) << ", links: " << link_error;
}

TEST_F(OutputFileTest, WhereRenamesCannotSpareAFileLinksDo) {
  for (const uint32_t error : {EINVAL, ENOSYS, ENOTSUP}) {
    for (const uint32_t link_error : {0, EPERM, ENOSYS, ENOTSUP}) {
      WithFailing(error, link_error, [this] { WriteFile("a-1.txt", "text"); });
      EXPECT_EQ(Names(), NameList{"a-1.txt"});
      EXPECT_EQ(ReadAll("a-1.txt"), "text");
      fs::remove(At("a-1.txt"));
    }
  }
}

TEST_F(OutputFileTest, AFileThatIsThereIsNeverReplaced) {
  const auto write = [this] {
    auto file = OutputFile::Create(folder_.path().string(), "a.b-1.txt");
    ASSERT_OK(file);
    // Another worker's, of the same name.
    WriteAll("a.b-1.txt", "old");
    ASSERT_OK((*file)->Append("new"));
    ASSERT_OK((*file)->Finish());
  };
  const auto check = [this] {
    EXPECT_EQ(Names(), (NameList{"a.b-1-2.txt", "a.b-1.txt"}));
    EXPECT_EQ(ReadAll("a.b-1.txt"), "old");
    EXPECT_EQ(ReadAll("a.b-1-2.txt"), "new");
    for (const std::string& name : Names()) fs::remove(At(name));
  };
  write();
  check();
  for (const uint32_t link_error : {0, EPERM}) {
    WithFailing(EINVAL, link_error, write);
    check();
  }
}

TEST_F(OutputFileTest, DeathBetweenTwoCallsOfARenameIsMadeGood) {
  WriteAll("a-1.txt.open", "text");
  fs::create_hard_link(At("a-1.txt.open"), At("a-1.txt"));
  EXPECT_EQ(Recover(), 1);
  EXPECT_EQ(Names(), NameList{"a-1.txt"});
  for (const uint32_t link_error : {0, EPERM}) {
    WriteAll("b-1.txt.open", "text");
    WriteAll("b-1.txt", "");
    WithFailing(ENOSYS, link_error, [this] { EXPECT_EQ(Recover(), 1); });
    EXPECT_EQ(Names(), (NameList{"a-1.txt", "b-1.txt"}));
    EXPECT_EQ(ReadAll("b-1.txt"), "text");
    fs::remove(At("b-1.txt"));
  }
}

TEST_F(OutputFileTest, WhatCannotBeFinishedIsLeftAndTheRestIsFinished) {
  fs::create_directory(At("a.txt.open"));
  ASSERT_EQ(mkfifo(At("b.txt.open").c_str(), 0600), 0);
  fs::create_symlink(At("c.txt.open"), At("c.txt.open"));
  WriteAll("d-1.txt.open", "text");
  WriteAll("e-1.txt.open", "later");
  WriteAll("e-1.txt", "first");
  EXPECT_EQ(Recover(), 2);
  EXPECT_EQ(Names(), (NameList{"a.txt.open", "b.txt.open", "c.txt.open", "d-1.txt", "e-1-2.txt",
                               "e-1.txt"}));
  EXPECT_EQ(ReadAll("e-1.txt"), "first");
  EXPECT_EQ(RecoverOutputFiles(At("not there"), ".txt", nullptr), 0);
  EXPECT_EQ(RecoverOutputFiles(At("d-1.txt"), ".txt", nullptr), 0);
}

TEST_F(OutputFileTest, ADiskThatFailsDoesNotKeepFromStarting) {
  WriteAll("a-1.txt.open", "text");
  WithFailing(EIO, EIO, [this] {
    EXPECT_EQ(Recover(), 0);
    EXPECT_TRUE(OutputFile::Create(folder_.path().string(), "b-1.txt").ok());
  });
  EXPECT_EQ(Names(), (NameList{"a-1.txt.open", "b-1.txt.open"}));
}

}  // namespace
}  // namespace orbweaver
