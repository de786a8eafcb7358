#include "cli/console/folder_look.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/bus/embedded/embedded_bus.h"
#include "common/bus/topics.h"
#include "common/store/rocksdb/database.h"
#include "common/store/rocksdb/rocksdb_store.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

constexpr Duration kLong = std::chrono::minutes(1);

class FolderLookTest : public ::testing::Test {
 protected:
  FolderLookTest() { Put("first"); }
  void Put(std::string_view row) {
    const auto database = Database::Open({.folder = folder_, .sync = false});
    ASSERT_OK(database);
    RocksdbStore store(**database);
    const CellPut cell{"r", "value"};
    const RowPut put{row, Version(1), {&cell, 1}};
    std::vector<uint32_t> remaining;
    ASSERT_OK(store.Write(Table::kDomains, {&put, 1}, kLong, &remaining));
  }
  std::vector<std::string> Rows() {
    std::vector<std::string> rows;
    const auto frontier = look_.Look();
    EXPECT_OK(frontier);
    if (!frontier.ok()) return rows;
    EXPECT_OK((*frontier)->store().Scan(Table::kDomains, {}, kLong, [&](auto row, auto) {
      rows.emplace_back(row);
      return true;
    }));
    return rows;
  }

  const ScratchFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path() / "data";
  const ProductOptions options_;
  ManualClock clock_;
  FolderLook look_{options_, folder_, clock_};
};

TEST_F(FolderLookTest, AFolderThatRestsIsOpenedOnce) {
  EXPECT_EQ(Rows().size(), 1u);
  // It could not be opened again, and looks as before.
  const std::filesystem::path current = folder_ / "CURRENT";
  const auto time = std::filesystem::last_write_time(current);
  const std::string nonsense(std::filesystem::file_size(current), 'x');
  std::ofstream(current) << nonsense;
  std::filesystem::last_write_time(current, time);
  for (int hour = 0; hour < 3; ++hour) {
    clock_.Advance(std::chrono::hours(1));
    EXPECT_EQ(Rows().size(), 1u);
  }
}

TEST_F(FolderLookTest, AChangeIsSeenSoon) {
  EXPECT_EQ(Rows(), std::vector<std::string>({"first"}));
  Put("second");
  EXPECT_EQ(Rows(), std::vector<std::string>({"first"}));
  clock_.Advance(std::chrono::seconds(10));
  EXPECT_EQ(Rows(), std::vector<std::string>({"first", "second"}));
}

TEST_F(FolderLookTest, AFolderThatIsGoneIsAnErrorUntilItIsBack) {
  EXPECT_EQ(Rows().size(), 1u);
  const std::filesystem::path away = scratch_.path() / "away";
  std::filesystem::rename(folder_, away);
  clock_.Advance(std::chrono::seconds(10));
  EXPECT_FALSE(look_.Look().ok());
  std::filesystem::rename(away, folder_);
  EXPECT_EQ(Rows().size(), 1u);
}

}  // namespace
}  // namespace orbweaver
