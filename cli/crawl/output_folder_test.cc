#include "cli/crawl/output_folder.h"

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;

class OutputFolderTest : public ::testing::Test {
 protected:
  const ScratchFolder scratch_;
  const fs::path& folder_ = scratch_.path();
};

TEST_F(OutputFolderTest, OneThatCanBeMadeIsGoodAndNotMade) {
  EXPECT_TRUE(CheckOutputFolder("").ok());
  EXPECT_TRUE(CheckOutputFolder(folder_.string()).ok());
  EXPECT_TRUE(CheckOutputFolder((folder_ / "a" / "b").string()).ok());
  EXPECT_FALSE(fs::exists(folder_ / "a"));
}

TEST_F(OutputFolderTest, AFileInItsPlaceIsNamed) {
  std::ofstream(folder_ / "file") << "x";
  EXPECT_THAT(CheckOutputFolder((folder_ / "file").string()).message(),
              ::testing::HasSubstr("file is no folder"));
  EXPECT_FALSE(CheckOutputFolder((folder_ / "file" / "below").string()).ok());
}

}  // namespace
}  // namespace orbweaver
