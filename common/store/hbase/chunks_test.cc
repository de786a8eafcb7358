#include "common/store/hbase/chunks.h"

#include <string>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

constexpr CellPut kCell{"c", "12345678"};  // with a row of one byte: 10 bytes

std::vector<RowPut> Puts(std::string_view rows) {
  std::vector<RowPut> puts;
  for (size_t i = 0; i < rows.size(); ++i)
    puts.push_back({rows.substr(i, 1), Version(1), {&kCell, 1}});
  return puts;
}

TEST(ChunksTest, SplitsEvenlySoThatNoCallIsMuchShorterThanTheOthers) {
  EXPECT_EQ(SplitEvenly(0, 10), std::vector<RowChunk>{});
  EXPECT_EQ(SplitEvenly(10, 10), (std::vector<RowChunk>{{0, 10}}));
  EXPECT_EQ(SplitEvenly(11, 10), (std::vector<RowChunk>{{0, 5}, {5, 11}}));
  EXPECT_EQ(SplitEvenly(3, 1), (std::vector<RowChunk>{{0, 1}, {1, 2}, {2, 3}}));
}

TEST(ChunksTest, LetsNoCallGrowBeyondItsRowsOrBytes) {
  EXPECT_EQ(SplitPuts(Puts("abcde"), {.max_rows = 2, .max_bytes = 1000}),
            (std::vector<Wave>{{{0, 2}, {2, 4}, {4, 5}}}));
  EXPECT_EQ(SplitPuts(Puts("abcde"), {.max_rows = 100, .max_bytes = 30}),
            (std::vector<Wave>{{{0, 3}, {3, 5}}}));
  // A row that is larger by itself goes alone.
  EXPECT_EQ(SplitPuts(Puts("abc"), {.max_rows = 100, .max_bytes = 5}),
            (std::vector<Wave>{{{0, 1}, {1, 2}, {2, 3}}}));
  EXPECT_EQ(SplitPuts({}, {.max_rows = 2, .max_bytes = 5}), std::vector<Wave>{});
}

TEST(ChunksTest, PutsARowThatComesAgainAfterItsFirst) {
  EXPECT_EQ(SplitPuts(Puts("abacb"), {.max_rows = 100, .max_bytes = 1000}),
            (std::vector<Wave>{{{0, 2}}, {{2, 5}}}));
  EXPECT_EQ(SplitPuts(Puts("aaa"), {.max_rows = 100, .max_bytes = 1000}),
            (std::vector<Wave>{{{0, 1}}, {{1, 2}}, {{2, 3}}}));
  EXPECT_EQ(SplitPuts(Puts("abcda"), {.max_rows = 2, .max_bytes = 1000}),
            (std::vector<Wave>{{{0, 2}, {2, 4}}, {{4, 5}}}));
}

}  // namespace
}  // namespace orbweaver
