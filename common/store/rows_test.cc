#include "common/store/rows.h"

#include <string>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(RowsTest, AnAbsentRowHasNoCellsAndKeepsItsPlace) {
  Rows rows;
  rows.AddCell("a", "1", Version(1));
  rows.EndRow();
  rows.EndRow();
  rows.AddCell("b", "2", Version(2));
  rows.EndRow();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(rows[1].empty());
  EXPECT_EQ(rows[2][0].value, "2");
}

TEST(RowsTest, CellsAreFoundByColumnWhateverTheOrderTheyCameIn) {
  Rows rows;
  for (const char* column : {"c", "a", "b"}) rows.AddCell(column, column, Version(1));
  rows.EndRow();
  EXPECT_EQ(rows[0][0].column, "a");
  ASSERT_NE(rows.Find(0, "b"), nullptr);
  EXPECT_EQ(rows.Find(0, "b")->value, "b");
  EXPECT_EQ(rows.Find(0, "bb"), nullptr);
}

TEST(RowsTest, ViewsStayValidWhileMoreIsAdded) {
  Rows rows;
  std::vector<std::string> values;
  for (int i = 0; i < 2000; ++i) values.push_back(std::string(static_cast<size_t>(i), 'x'));
  for (const auto& value : values) {
    rows.AddCell("column", value, Version(1));
    rows.EndRow();
  }
  for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(rows[i][0].value, values[i]);
  rows.Clear();
  EXPECT_EQ(rows.size(), 0u);
  rows.AddCell("again", "1", Version(1));
  rows.EndRow();
  EXPECT_EQ(rows[0][0].column, "again");
}

}  // namespace
}  // namespace orbweaver
