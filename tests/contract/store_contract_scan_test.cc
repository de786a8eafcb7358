// Scans.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/contract/store_contract.h"

namespace orbweaver {
namespace {

std::vector<std::string> Names(const auto& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(row.first);
  return names;
}

TEST_P(StoreContract, ScansFromTheFirstRowOfTheRangeToTheLastBeforeItsEnd) {
  const std::string a = Row("a"), b = Row("b"), bb = Row("bb"), c = Row("c");
  for (const std::string& row : {c, a, bb, b}) Put(row, 1, {{"x", row}});
  using Expected = std::vector<std::string>;
  EXPECT_EQ(Names(Scan({.begin = a, .end = c})), (Expected{a, b, bb}));
  const std::string before = Row("A"), after = Row("d"), after_b = b + '\0';
  EXPECT_EQ(Names(Scan({.begin = before, .end = after})), (Expected{a, b, bb, c}));
  EXPECT_EQ(Names(Scan({.begin = after_b, .end = after})), (Expected{bb, c}));
  EXPECT_EQ(Names(Scan({.begin = b, .end = after_b})), (Expected{b}));
  EXPECT_EQ(Names(Scan({.begin = b, .end = b})), Expected{});
  EXPECT_EQ(Names(Scan({.begin = c, .end = a})), Expected{});
  EXPECT_EQ(Scan({.begin = c, .end = after})[0].second, (Cells{{"x", c}}));
}

TEST_P(StoreContract, ScansWholeTablesInOrder) {
  const std::string first = Row("a", 0), middle = Row("m", 2048), last = Row("z", kSlots - 1);
  for (const std::string& row : {last, first, middle})
    Put(row, 1, {{"x", "1"}}, Table::kPartitions);
  const std::vector<std::string> all = Names(Scan({}, Table::kPartitions));
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  for (const std::string& row : {first, middle, last}) {
    EXPECT_TRUE(std::binary_search(all.begin(), all.end(), row));
  }
  const std::vector<std::string> head = Names(Scan({.end = middle}, Table::kPartitions));
  EXPECT_EQ(std::lower_bound(all.begin(), all.end(), middle) - all.begin(),
            static_cast<ptrdiff_t>(head.size()));
  const std::vector<std::string> tail = Names(Scan({.begin = middle}, Table::kPartitions));
  EXPECT_EQ(head.size() + tail.size(), all.size());
}

TEST_P(StoreContract, ScansOnlyRowsThatHaveAWantedColumn) {
  const std::string a = Row("a"), b = Row("b"), c = Row("c"), end = Row("d");
  Put(a, 1, {{"x", "1"}, {"y", "2"}, {"z", "3"}});
  Put(b, 1, {{"other", "1"}});
  Put(c, 1, {{"z", "4"}, {"other", "5"}});
  const std::string_view columns[] = {"z", "x"};
  const auto rows = Scan({.begin = a, .end = end, .columns = columns});
  ASSERT_EQ(Names(rows), (std::vector<std::string>{a, c}));
  EXPECT_EQ(rows[0].second, (Cells{{"x", "1"}, {"z", "3"}}));
  EXPECT_EQ(rows[1].second, (Cells{{"z", "4"}}));
  // Rows without a wanted cell do not count for the limit.
  EXPECT_EQ(Names(Scan({.begin = a, .end = end, .columns = columns, .limit = 2})),
            (std::vector<std::string>{a, c}));
}

TEST_P(StoreContract, ScansAColumnOnceThatIsAskedForTwice) {
  const std::string a = Row("a"), end = Row("b");
  Put(a, 1, {{"x", "1"}, {"y", "2"}});
  const std::string_view columns[] = {"y", "x", "y"};
  const auto rows = Scan({.begin = a, .end = end, .columns = columns});
  ASSERT_EQ(Names(rows), (std::vector<std::string>{a}));
  EXPECT_EQ(rows[0].second, (Cells{{"x", "1"}, {"y", "2"}}));
}

TEST_P(StoreContract, StopsAScanAtItsLimitOrWhenTheVisitorHasEnough) {
  std::vector<std::string> names;
  for (size_t i = 0; i < 2500; ++i) names.push_back(Row(Number(i)));
  PutRows(names, 1, "x", [](size_t) { return "1"; });
  const std::string end = Row("a");
  for (const uint64_t limit : {1, 2, 999, 1000, 1001, 2500}) {
    EXPECT_EQ(Scan({.begin = names[0], .end = end, .limit = limit}).size(), limit);
  }
  EXPECT_EQ(Scan({.begin = names[0], .end = end, .limit = 9000}).size(), 2500u);
  for (const size_t enough : {1, 500, 501, 1500}) {
    size_t seen = 0;
    EXPECT_OK(store().Scan(kTable, {.begin = names[0], .end = end}, kStorePatience,
                           [&](auto, auto) { return ++seen < enough; }));
    EXPECT_EQ(seen, enough);
  }
}

TEST_P(StoreContract, LetsAScansVisitorCallTheStore) {
  const std::string a = Row("a"), b = Row("b"), end = Row("c");
  Put(a, 1, {{"x", "a"}});
  Put(b, 1, {{"x", "b"}});
  size_t seen = 0;
  EXPECT_OK(store().Scan(kTable, {.begin = a, .end = end}, kStorePatience,
                         [&](std::string_view row, std::span<const Cell> cells) {
                           ++seen;
                           EXPECT_EQ(Get(row), (Cells{{"x", std::string(cells[0].value)}}));
                           Put(row, 2, {{"seen", "1"}});
                           return true;
                         }));
  EXPECT_EQ(seen, 2u);
  EXPECT_EQ(Get(b), (Cells{{"seen", "1"}, {"x", "b"}}));
}

TEST_P(StoreContract, ScansAHundredThousandRowsCutInTheMiddleWithNoneTwiceOrSkipped) {
  constexpr size_t kRows = 100'000;
  std::vector<std::string> names;
  for (size_t i = 0; i < kRows; ++i) {
    names.push_back(Row(Number(i), static_cast<uint16_t>(i / 100)));
  }
  PutRows(names, 1, "x", [](size_t i) { return std::to_string(i); }, Table::kDomains);
  const std::string end = Row("", kRows / 100);
  size_t next = 0;
  auto visit_until = [&](size_t stop) {
    return [&, stop](std::string_view row, std::span<const Cell> cells) {
      if (!IsMine(row)) return true;  // between the rows of two slots
      EXPECT_EQ(row, names[next]);
      EXPECT_EQ(cells[0].value, std::to_string(next));
      ++next;
      return next < stop && !::testing::Test::HasFailure();
    };
  };
  const auto first_half = visit_until(kRows / 2);
  ASSERT_OK(
      store().Scan(Table::kDomains, {.begin = names[0], .end = end}, kStorePatience, first_half));
  ASSERT_EQ(next, kRows / 2);
  const std::string from = names[next - 1] + '\0';
  const auto second_half = visit_until(kRows + 1);
  ASSERT_OK(
      store().Scan(Table::kDomains, {.begin = from, .end = end}, kStorePatience, second_half));
  EXPECT_EQ(next, kRows);
}

TEST_P(StoreContract, ResumesAScanWhoseConnectionBreaks) {
  constexpr size_t kRows = 20'000;
  std::vector<std::string> names;
  for (size_t i = 0; i < kRows; ++i) names.push_back(Row(Number(i)));
  PutRows(names, 1, "x", [](size_t) { return "some value"; });
  const std::string end = Row("a");
  size_t next = 0;
  ASSERT_OK(store().Scan(kTable, {.begin = names[0], .end = end}, kStorePatience,
                         [&](std::string_view row, auto) {
                           if (next % 7000 == 3000) env().BreakConnections();
                           EXPECT_EQ(row, names[next]);
                           ++next;
                           return !::testing::Test::HasFailure();
                         }));
  EXPECT_EQ(next, kRows);
}

// By counting, since a clock would measure the machine.
TEST_P(StoreContract, ScansWithoutTouchingTheErasedCellsOfOtherColumns) {
  constexpr size_t kRows = 1000, kErased = 50;
  std::vector<std::string> names, columns;
  for (size_t i = 0; i < kRows; ++i) names.push_back(Row(Number(i)));
  for (size_t i = 0; i < kErased; ++i) columns.push_back("q" + Number(i));
  std::vector<CellPut> cells{{"h", "head"}};
  for (const std::string& column : columns) cells.push_back({column, "chunk"});
  std::vector<RowPut> puts;
  for (const std::string& name : names) puts.push_back({name, Version(1), cells});
  std::vector<uint32_t> remaining;
  ASSERT_OK(store().Write(kTable, puts, kStorePatience, &remaining));
  const std::vector<std::string_view> erased(columns.begin(), columns.end());
  std::vector<RowErase> erases;
  for (const std::string& name : names) erases.push_back({name, Version(1), erased});
  ASSERT_OK(store().Erase(kTable, erases, kStorePatience));

  const std::string_view head = "h";
  const std::string end = Row("a");
  const uint64_t before = env().CellsRead().value_or(0);
  const auto rows = Scan({.begin = names[0], .end = end, .columns = {&head, 1}});
  const uint64_t touched = env().CellsRead().value_or(0) - before;
  ASSERT_EQ(rows.size(), kRows);
  for (const auto& [row, row_cells] : rows) ASSERT_EQ(row_cells, (Cells{{"h", "head"}}));
  EXPECT_LE(touched, kRows * 5);
}

}  // namespace
}  // namespace orbweaver
