// Files of a mirror, and that no symbolic link leads its writer out of it.
#include "spider/publish/mirror_folder.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include "gtest/gtest.h"

#include "common/base/status.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;
constexpr auto kRefuse = MirrorFolder::InTheWay::kRefuse;
constexpr auto kRemove = MirrorFolder::InTheWay::kRemove;

class MirrorFolderTest : public ::testing::Test {
 protected:
  MirrorFolderTest() {
    auto opened = MirrorFolder::Open(root().string(), "writer");
    EXPECT_OK(opened.status());
    mirror_ = *std::move(opened);
  }

  fs::path root() const { return folder_.path() / "made" / "mirror"; }
  std::string Text(const fs::path& path) const {
    std::stringstream text;
    text << std::ifstream(root() / path).rdbuf();
    return text.str();
  }
  bool HasNewFiles() const { return !fs::is_empty(root() / ".mirror/new"); }

  ScratchFolder folder_;
  std::unique_ptr<MirrorFolder> mirror_;
};

TEST_F(MirrorFolderTest, AFileIsReplacedAsAWhole) {
  EXPECT_OK(mirror_->Write("h/a/b", "one", kRefuse));
  EXPECT_OK(mirror_->Write("h/a/b", "three", kRefuse));
  EXPECT_EQ(Text("h/a/b"), "three");
  EXPECT_EQ(*mirror_->Read("h/a/b"), "three");
  EXPECT_EQ(*mirror_->SizeOf("h/a/b"), 5U);
  EXPECT_FALSE(HasNewFiles());
  EXPECT_TRUE(absl::IsNotFound(mirror_->Read("h/a/c").status()));
  EXPECT_TRUE(absl::IsNotFound(mirror_->Read("h/a/b/c").status()));
}

TEST_F(MirrorFolderTest, ALinkIsAnotherNameOfTheFile) {
  EXPECT_OK(mirror_->Write("body", "text", kRefuse));
  EXPECT_OK(mirror_->Link("body", "h/a", kRefuse));
  EXPECT_TRUE(mirror_->AreOne("body", "h/a"));
  EXPECT_OK(mirror_->Link("body", "h/a", kRefuse));  // again
  EXPECT_EQ(Text("h/a"), "text");
  // Writing one anew leaves the other.
  EXPECT_OK(mirror_->Write("h/a", "changed", kRefuse));
  EXPECT_EQ(Text("body"), "text");
  EXPECT_FALSE(mirror_->AreOne("body", "h/a"));
  mirror_->TryLink("body", "h/a");
  EXPECT_EQ(Text("h/a"), "changed");
  mirror_->TryLink("body", "h/a/b");
  mirror_->TryLink("body", "h/c");
  EXPECT_EQ(Text("h/c"), "text");
  EXPECT_FALSE(HasNewFiles());
}

TEST_F(MirrorFolderTest, AFileGivesWayToAFolderOnlyWhenItMay) {
  EXPECT_OK(mirror_->Write("h/a", "text", kRefuse));
  EXPECT_FALSE(mirror_->Write("h/a/b", "below", kRefuse).ok());
  EXPECT_EQ(Text("h/a"), "text");
  EXPECT_OK(mirror_->Write("h/a/b", "below", kRemove));
  EXPECT_EQ(Text("h/a/b"), "below");
  // A folder with files gives way to nothing.
  EXPECT_FALSE(mirror_->Write("h/a", "text", kRemove).ok());
  EXPECT_OK(mirror_->Remove("h/a"));
  EXPECT_EQ(Text("h/a/b"), "below");
  EXPECT_OK(mirror_->Remove("h/a/b"));
  EXPECT_OK(mirror_->Remove("h/a/b"));
  EXPECT_OK(mirror_->Write("h/a", "text", kRemove));
  EXPECT_EQ(Text("h/a"), "text");
  EXPECT_FALSE(HasNewFiles());
}

TEST_F(MirrorFolderTest, NoSymbolicLinkLeadsOut) {
  const fs::path outside = folder_.path() / "outside";
  fs::create_directory(outside);
  std::ofstream(outside / "file") << "theirs";
  EXPECT_OK(mirror_->Write("h/x", "x", kRefuse));
  fs::create_directory_symlink(outside, root() / "h" / "folder");
  fs::create_symlink(outside / "file", root() / "h" / "file");
  for (const auto way : {kRefuse, kRemove}) {
    const absl::Status refused = mirror_->Write("h/folder/new", "text", way);
    EXPECT_NE(refused.message().find("a symbolic link stands there. Remove it"), std::string::npos)
        << refused;
    EXPECT_FALSE(mirror_->Link("h/x", "h/folder/new", way).ok());
  }
  mirror_->TryLink("h/x", "h/folder/new");
  EXPECT_FALSE(mirror_->Read("h/folder/file").ok());
  EXPECT_OK(mirror_->Remove("h/folder/file"));
  EXPECT_FALSE(mirror_->Read("h/file").ok());
  // The link itself is replaced.
  EXPECT_OK(mirror_->Write("h/file", "ours", kRefuse));
  EXPECT_EQ(Text("h/file"), "ours");
  std::stringstream theirs;
  theirs << std::ifstream(outside / "file").rdbuf();
  EXPECT_EQ(theirs.str(), "theirs");
  EXPECT_EQ(std::distance(fs::directory_iterator(outside), {}), 1);

  fs::remove_all(root() / ".mirror");
  fs::create_directory_symlink(outside, root() / ".mirror");
  EXPECT_FALSE(MirrorFolder::Open(root().string(), "other").ok());
  EXPECT_FALSE(mirror_->Write("h/y", "y", kRemove).ok());
}

TEST_F(MirrorFolderTest, WhatADeadWriterLeftIsRemovedAndALivingOnesIsNot) {
  const fs::path dead = root() / ".mirror/new/dead-1";
  const fs::path living = root() / ".mirror/new/living-2";
  std::ofstream(dead) << "to";
  std::ofstream(living) << "to";
  const int fd = open(living.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(fd, LOCK_EX | LOCK_NB), 0);
  RemoveTornFiles(root().string());
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(living));
  close(fd);
}

TEST_F(MirrorFolderTest, AFullDiskLeavesTheFileAsItWas) {
  EXPECT_OK(mirror_->Write("h/a", "before", kRefuse));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit full{.rlim_cur = 8, .rlim_max = before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  const absl::Status status = mirror_->Write("h/a", "more than eight bytes", kRefuse);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(IsFatal(status));
  EXPECT_NE(status.message().find("Make room on the disk"), std::string::npos) << status;
  EXPECT_EQ(Text("h/a"), "before");
  EXPECT_FALSE(HasNewFiles());
}

}  // namespace
}  // namespace orbweaver
