#include "cli/crawl/output_folder.h"

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;

class OutputFolderTest : public ::testing::Test {
 protected:
  OutputFolderTest() { fs::create_directories(folder_); }
  ~OutputFolderTest() override { fs::remove_all(folder_); }

  const fs::path folder_ =
      fs::path(::testing::TempDir()) / ("output_folder_test." + std::to_string(getpid()));
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
