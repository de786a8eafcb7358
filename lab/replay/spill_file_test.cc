#include "lab/replay/spill_file.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver::lab {
namespace {

std::string TextOf(size_t i) { return std::string(i % 500, static_cast<char>('a' + i % 26)); }

TEST(SpillFileTest, GivesEachTextBackInAnyOrder) {
  const ScratchFolder folder;
  const auto spill = SpillFile::Create(folder.path());
  ASSERT_OK(spill);
  std::vector<SpillFile::Extent> extents;
  for (size_t i = 0; i < 10'000; ++i) {  // 2.5 MB
    const auto extent = (*spill)->Append(TextOf(i));
    ASSERT_OK(extent);
    extents.push_back(*extent);
  }
  ASSERT_OK((*spill)->Flush());
  std::string text = "behind this";
  for (size_t i = 10'000; i-- > 0;) {
    ASSERT_OK((*spill)->Read(extents[i], &text));
    ASSERT_EQ(text.substr(11), TextOf(i));
    text.resize(11);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(SpillFileTest, AMissingFolderIsNamed) {
  const absl::Status status = SpillFile::Create("/no/such/folder").status();
  EXPECT_NE(status.message().find("/no/such/folder"), absl::string_view::npos) << status;
}

}  // namespace
}  // namespace orbweaver::lab
