// Gets, puts, versions, erases, names and sizes.
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/base/status.h"
#include "tests/contract/store_contract.h"

namespace orbweaver {
namespace {

TEST_P(StoreContract, ReadsBackTheCellsOfARowWithTheirVersions) {
  const std::string row = Row("a");
  Put(row, 7, {{"two", "2"}, {"one", "1"}});
  Put(row, 9, {{"three", "3"}});
  EXPECT_EQ(Get(row), (Cells{{"one", "1"}, {"three", "3"}, {"two", "2"}}));

  const RowGet get{row, {}};
  Rows rows;
  ASSERT_OK(store().MultiGet(kTable, {&get, 1}, kStorePatience, &rows));
  ASSERT_NE(rows.Find(0, "three"), nullptr);
  EXPECT_EQ(rows.Find(0, "one")->version, Version(7));
  EXPECT_EQ(rows.Find(0, "three")->version, Version(9));
  EXPECT_EQ(rows.Find(0, "four"), nullptr);
}

TEST_P(StoreContract, GetsOnlyTheColumnsAskedFor) {
  const std::string row = Row("a"), other = Row("b");
  Put(row, 1, {{"a", "1"}, {"b", "2"}, {"c", "3"}});
  Put(other, 1, {{"z", "1"}});
  EXPECT_EQ(Get(row, {"c", "absent", "a"}), (Cells{{"a", "1"}, {"c", "3"}}));
  EXPECT_EQ(Get(other, {"a"}), Cells{});
}

TEST_P(StoreContract, AnswersGetsOfAnyOrderWithDuplicatesAndAbsentRows) {
  const std::string a = Row("a"), b = Row("b", 4000), absent = Row("absent", 17);
  Put(a, 1, {{"c", "a"}, {"d", "x"}});
  Put(b, 1, {{"c", "b"}});
  const std::string_view d = "d";
  const RowGet gets[] = {{b, {}}, {absent, {}}, {a, {&d, 1}}, {b, {}}, {a, {}}, {absent, {}}};
  Rows rows;
  ASSERT_OK(store().MultiGet(kTable, gets, kStorePatience, &rows));
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0].size(), 1u);
  EXPECT_EQ(rows.Find(0, "c")->value, "b");
  EXPECT_TRUE(rows[1].empty());
  ASSERT_EQ(rows[2].size(), 1u);
  EXPECT_EQ(rows[2][0].value, "x");
  EXPECT_EQ(rows.Find(3, "c")->value, "b");
  EXPECT_EQ(rows[4].size(), 2u);
  EXPECT_TRUE(rows[5].empty());
}

TEST_P(StoreContract, ReplacesTheRowsOfAnEarlierAnswer) {
  const std::string a = Row("a");
  Put(a, 1, {{"c", "1"}});
  const RowGet gets[] = {{a, {}}, {a, {}}};
  Rows rows;
  ASSERT_OK(store().MultiGet(kTable, gets, kStorePatience, &rows));
  ASSERT_OK(store().MultiGet(kTable, {gets, 1}, kStorePatience, &rows));
  EXPECT_EQ(rows.size(), 1u);
  ASSERT_OK(store().MultiGet(kTable, {}, kStorePatience, &rows));
  EXPECT_EQ(rows.size(), 0u);
}

TEST_P(StoreContract, GetsTenThousandRowsInOneCall) {
  std::vector<std::string> names;
  for (size_t i = 0; i < kMaxRowsPerGet / 2; ++i) names.push_back(Row(Number(i), i * 7 % kSlots));
  PutRows(names, 1, "c", [](size_t i) { return std::to_string(i); });
  for (size_t i = kMaxRowsPerGet / 2; i < kMaxRowsPerGet; ++i) names.push_back(Row(Number(i)));

  std::vector<size_t> order(names.size());
  std::iota(order.begin(), order.end(), size_t{0});
  Random random(1);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
  std::vector<RowGet> gets;
  for (const size_t i : order) gets.push_back({names[i], {}});
  Rows rows;
  ASSERT_OK(store().MultiGet(kTable, gets, kStorePatience, &rows));
  ASSERT_EQ(rows.size(), names.size());
  for (size_t at = 0; at < order.size(); ++at) {
    if (order[at] < kMaxRowsPerGet / 2) {
      ASSERT_EQ(rows[at].size(), 1u) << at;
      ASSERT_EQ(rows[at][0].value, std::to_string(order[at]));
    } else {
      ASSERT_TRUE(rows[at].empty()) << at;
    }
  }
}

TEST_P(StoreContract, PutsTheSameRowOfOneCallInTheOrderGiven) {
  const std::string row = Row("a"), other = Row("b", 2000);
  std::vector<CellPut> cells;
  std::vector<std::string> values;
  for (int i = 0; i < 200; ++i) values.push_back(std::to_string(i));
  for (const std::string& value : values) cells.push_back({"c", value});
  std::vector<RowPut> puts;
  for (size_t i = 0; i < cells.size(); ++i) {
    puts.push_back({i % 2 == 0 ? row : other, Version(5), {&cells[i], 1}});
  }
  std::vector<uint32_t> remaining{1, 2, 3};
  ASSERT_OK(store().Write(kTable, puts, kStorePatience, &remaining));
  EXPECT_TRUE(remaining.empty());
  EXPECT_EQ(Get(row), (Cells{{"c", "198"}}));
  EXPECT_EQ(Get(other), (Cells{{"c", "199"}}));
}

TEST_P(StoreContract, WritesNothingWhenAskedForNothing) {
  std::vector<uint32_t> remaining{1};
  EXPECT_OK(store().Write(kTable, {}, kStorePatience, &remaining));
  EXPECT_TRUE(remaining.empty());
  EXPECT_OK(store().Erase(kTable, {}, kStorePatience));
}

TEST_P(StoreContract, WritesMoreInOneCallThanOnePutMayHold) {
  const std::string large(size_t{1} << 20, 'v');
  std::vector<std::string> names;
  for (size_t i = 0; i < 40; ++i) names.push_back(Row(Number(i), static_cast<uint16_t>(i * 100)));
  std::vector<CellPut> cells(names.size(), CellPut{"c", large});
  std::vector<RowPut> puts;
  for (size_t i = 0; i < names.size(); ++i) puts.push_back({names[i], Version(1), {&cells[i], 1}});
  std::vector<uint32_t> remaining;
  ASSERT_OK(store().Write(Table::kPages, puts, kStorePatience, &remaining));
  std::vector<RowGet> gets;
  for (const std::string& name : names) gets.push_back({name, {}});
  Rows rows;
  ASSERT_OK(store().MultiGet(Table::kPages, gets, kStorePatience, &rows));
  for (size_t i = 0; i < names.size(); ++i) {
    ASSERT_EQ(rows[i].size(), 1u);
    EXPECT_TRUE(rows[i][0].value == large);
  }
}

TEST_P(StoreContract, KeepsTablesApart) {
  const std::string row = Row("a");
  for (const Table table : kTables) Put(row, 1, {{"c", std::string(TableName(table))}}, table);
  Erase(row, 1, {}, Table::kPages);
  for (const Table table : {Table::kDomains, Table::kQueue, Table::kPartitions}) {
    EXPECT_EQ(Get(row, {}, table), (Cells{{"c", std::string(TableName(table))}}));
  }
  EXPECT_EQ(Get(row, {}, Table::kPages), Cells{});
}

TEST_P(StoreContract, NeverLetsALowerVersionWinInAnyOrderOfArrivalAndAcrossRestarts) {
  std::vector<uint64_t> versions{1, 2, 3, 4};
  int permutation = 0;
  std::vector<std::string> rows;
  do {
    rows.push_back(Row(Number(permutation++)));
    for (const uint64_t version : versions) {
      Put(rows.back(), version, {{"c", std::to_string(version)}});
    }
  } while (std::next_permutation(versions.begin(), versions.end()));
  for (const std::string& row : rows) EXPECT_EQ(Get(row), (Cells{{"c", "4"}}));

  env().Reopen();
  for (const std::string& row : rows) {
    EXPECT_EQ(Get(row), (Cells{{"c", "4"}}));
    Put(row, 3, {{"c", "late"}});
    EXPECT_EQ(Get(row), (Cells{{"c", "4"}}));
    Put(row, 5, {{"c", "5"}});
  }
  env().Reopen();
  for (const std::string& row : rows) EXPECT_EQ(Get(row), (Cells{{"c", "5"}}));
}

TEST_P(StoreContract, DecidesByVersionForEachColumnOfAPut) {
  const std::string row = Row("a");
  Put(row, 5, {{"a", "5"}});
  Put(row, 3, {{"b", "3"}});
  Put(row, 4, {{"a", "4"}, {"b", "4"}, {"c", "4"}});
  EXPECT_EQ(Get(row), (Cells{{"a", "5"}, {"b", "4"}, {"c", "4"}}));
}

TEST_P(StoreContract, ShowsTheLaterOfTwoPutsWithEqualVersions) {
  const std::string row = Row("a");
  Put(row, 3, {{"c", "first"}});
  Put(row, 3, {{"c", "second"}});
  EXPECT_EQ(Get(row), (Cells{{"c", "second"}}));
  env().Reopen();
  Put(row, 3, {{"c", "third"}});
  EXPECT_EQ(Get(row), (Cells{{"c", "third"}}));
  env().Reopen();
  EXPECT_EQ(Get(row), (Cells{{"c", "third"}}));
}

TEST_P(StoreContract, TakesVersionsFromTheLowestToTheHighest) {
  const std::string row = Row("a");
  Put(row, 1, {{"c", "lowest"}});
  EXPECT_EQ(Get(row), (Cells{{"c", "lowest"}}));
  Put(row, kMaxVersion.value(), {{"c", "highest"}});
  EXPECT_EQ(Get(row), (Cells{{"c", "highest"}}));
  Put(row, kMaxVersion.value() - 1, {{"c", "below"}});
  EXPECT_EQ(Get(row), (Cells{{"c", "highest"}}));
}

TEST_P(StoreContract, ErasesTheNamedColumnsUpToTheVersion) {
  const std::string row = Row("a");
  Put(row, 5, {{"kept", "1"}, {"old", "2"}});
  Put(row, 8, {{"new", "3"}});
  Erase(row, 5, {"old", "new", "absent"});
  EXPECT_EQ(Get(row), (Cells{{"kept", "1"}, {"new", "3"}}));
  env().Reopen();
  EXPECT_EQ(Get(row), (Cells{{"kept", "1"}, {"new", "3"}}));
}

TEST_P(StoreContract, ErasesAWholeRowUpToTheVersion) {
  const std::string row = Row("a"), gone = Row("b"), next = Row("b0");
  Put(row, 5, {{"a", "1"}, {"b", "2"}});
  Put(row, 8, {{"c", "3"}});
  Put(gone, 5, {{"a", "1"}, {"b", "2"}});
  Put(next, 5, {{"a", "1"}});
  Erase(row, 6);
  Erase(gone, 6);
  Erase(Row("absent"), 6);
  EXPECT_EQ(Get(row), (Cells{{"c", "3"}}));
  EXPECT_EQ(Get(gone), Cells{});
  EXPECT_EQ(Get(next), (Cells{{"a", "1"}}));
  const std::string end = Row("c");
  EXPECT_EQ(Scan({.begin = row, .end = end}).size(), 2u);
}

TEST_P(StoreContract, ShowsAPutAboveAnErasedVersion) {
  const std::string row = Row("a");
  Put(row, 5, {{"c", "5"}, {"d", "5"}});
  Erase(row, 6, {"c"});
  Put(row, 7, {{"c", "7"}});
  EXPECT_EQ(Get(row), (Cells{{"c", "7"}, {"d", "5"}}));
  Erase(row, 8);
  Put(row, 9, {{"c", "9"}});
  EXPECT_EQ(Get(row), (Cells{{"c", "9"}}));
  env().Reopen();
  EXPECT_EQ(Get(row), (Cells{{"c", "9"}}));
}

TEST_P(StoreContract, ErasesManyRowsInOneCall) {
  std::vector<std::string> names;
  for (size_t i = 0; i < 3000; ++i) names.push_back(Row(Number(i), i * 5 % kSlots));
  PutRows(names, 3, "c", [](size_t) { return "v"; });
  std::vector<RowErase> erases;
  for (size_t i = 0; i < names.size(); i += 2) erases.push_back({names[i], Version(3), {}});
  ASSERT_OK(store().Erase(kTable, erases, kStorePatience));
  std::vector<RowGet> gets;
  for (const std::string& name : names) gets.push_back({name, {}});
  Rows rows;
  ASSERT_OK(store().MultiGet(kTable, gets, kStorePatience, &rows));
  for (size_t i = 0; i < names.size(); ++i) ASSERT_EQ(rows[i].size(), i % 2) << i;
}

TEST_P(StoreContract, TellsAnEmptyValueFromNone) {
  const std::string row = Row("a");
  Put(row, 1, {{"empty", ""}});
  EXPECT_EQ(Get(row, {"empty", "absent"}), (Cells{{"empty", ""}}));
  Put(row, 2, {{"empty", "full"}});
  Put(row, 3, {{"empty", ""}});
  EXPECT_EQ(Get(row), (Cells{{"empty", ""}}));
  env().Reopen();
  EXPECT_EQ(Get(row), (Cells{{"empty", ""}}));
}

TEST_P(StoreContract, KeepsRowsAndColumnsOfEveryByteApart) {
  std::vector<std::string> parts;
  for (int byte = 0; byte < 256; ++byte) parts.push_back(std::string(1, static_cast<char>(byte)));
  for (const char* const part : {"a", "b", ""}) {
    for (const std::string& zeros : {std::string(1, '\0'), std::string(2, '\0')}) {
      parts.push_back(part + zeros);
      parts.push_back(part + zeros + "b");
      parts.push_back(part + zeros + "\xff");
    }
    parts.push_back(std::string(part) + "\xff\xff");
    parts.push_back(std::string(part) + "\xff" + '\0');
  }
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());

  // Every row has every column, and a value that tells them all apart.
  std::map<std::string, Cells> expected;
  for (const std::string& name : parts) {
    Cells cells;
    for (const std::string& column : parts) cells.emplace_back(column, name + "/" + column);
    Put(Row(name), 1, cells);
    expected[Row(name)] = cells;
  }
  for (const auto& [row, cells] : expected) ASSERT_EQ(Get(row), cells);
  EXPECT_EQ(Get(Row("a"), {std::string("\0b", 2)}),
            (Cells{{std::string("\0b", 2), std::string("a/\0b", 4)}}));
  const std::string begin = Row(""), end = EndOfRows();
  const auto rows = Scan({.begin = begin, .end = end});
  const std::vector<std::pair<std::string, Cells>> all(expected.begin(), expected.end());
  EXPECT_TRUE(rows == all) << rows.size() << " rows of " << all.size();
}

TEST_P(StoreContract, KeepsARowOfTenThousandColumns) {
  const std::string row = Row("wide");
  Cells cells;
  for (uint64_t i = 0; i < 10'000; ++i) cells.emplace_back(Number(i), std::to_string(i * i));
  Put(row, 1, {cells.begin(), cells.begin() + 5000});
  for (size_t i = 5000; i < 10'000; i += 1000) {
    const auto begin = cells.begin() + static_cast<ptrdiff_t>(i);
    Put(row, 2, {begin, begin + 1000});
  }
  EXPECT_TRUE(Get(row) == cells);
  EXPECT_EQ(Get(row, {Number(9999), Number(0), Number(4999)}),
            (Cells{cells[0], cells[4999], cells[9999]}));
  const std::string end = Row("wide0");
  const auto rows = Scan({.begin = row, .end = end});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_TRUE(rows[0].second == cells);
}

TEST_P(StoreContract, KeepsValuesOfTenMegabytes) {
  std::string large(10'000'000, '\0');
  Random random(7);
  for (char& byte : large) byte = static_cast<char>(random());
  const std::string row = Row("large");
  Put(row, 1, {{"c", large}, {"small", "s"}}, Table::kPages);
  Put(Row("large0"), 1, {{"c", large}}, Table::kPages);
  const Cells expected{{"c", large}, {"small", "s"}};
  EXPECT_TRUE(Get(row, {}, Table::kPages) == expected);
  const std::string end = Row("largf");
  const auto rows = Scan({.begin = row, .end = end}, Table::kPages);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].second == expected);
  env().Reopen();
  EXPECT_TRUE(Get(row, {}, Table::kPages) == expected);
}

TEST_P(StoreContract, TakesTheLongestNamesAllowed) {
  std::string row = Row("");
  row.resize(kMaxRowBytes, 'r');
  const std::string column(kMaxColumnBytes, 'c');
  Put(row, 1, {{column, "v"}});
  EXPECT_EQ(Get(row), (Cells{{column, "v"}}));
  const std::string after = row + '\0';
  EXPECT_EQ(Scan({.begin = row, .end = after}).size(), 1u);
}

TEST_P(StoreContract, RefusesWhatIsBeyondTheLimitsAndDoesNoPartOfIt) {
  const std::string good = Row("good"), long_row(kMaxRowBytes + 1, 'r');
  const std::string long_column(kMaxColumnBytes + 1, 'c'), large(kMaxPutBytes, 'v');
  const CellPut cell{"c", "v"}, unnamed{"", "v"}, badly_named{long_column, "v"},
      too_large{"c", large};
  for (const RowPut& bad :
       {RowPut{"", Version(1), {&cell, 1}}, RowPut{long_row, Version(1), {&cell, 1}},
        RowPut{good, Version(1), {}}, RowPut{good, Version(1), {&unnamed, 1}},
        RowPut{good, Version(1), {&badly_named, 1}}, RowPut{good, Version(1), {&too_large, 1}},
        RowPut{good, kMaxVersion + 1, {&cell, 1}}}) {
    const RowPut puts[] = {{good, Version(1), {&cell, 1}}, bad};
    std::vector<uint32_t> remaining;
    EXPECT_TRUE(IsFatal(store().Write(kTable, puts, kStorePatience, &remaining)));
    EXPECT_EQ(remaining, (std::vector<uint32_t>{0, 1}));
  }
  EXPECT_EQ(Get(good), Cells{});

  Put(good, 1, {{"c", "v"}});
  const RowErase erases[] = {{good, Version(1), {}}, {"", Version(1), {}}};
  EXPECT_TRUE(IsFatal(store().Erase(kTable, erases, kStorePatience)));
  EXPECT_EQ(Get(good), (Cells{{"c", "v"}}));

  Rows rows;
  const std::vector<RowGet> too_many(kMaxRowsPerGet + 1, RowGet{good, {}});
  EXPECT_TRUE(IsFatal(store().MultiGet(kTable, too_many, kStorePatience, &rows)));
  EXPECT_EQ(rows.size(), 0u);
  const RowGet gets[] = {{good, {}}, {long_row, {}}};
  EXPECT_TRUE(IsFatal(store().MultiGet(kTable, gets, kStorePatience, &rows)));
  EXPECT_EQ(rows.size(), 0u);

  const std::string_view no_name;
  EXPECT_TRUE(IsFatal(store().Scan(kTable, {.begin = good, .columns = {&no_name, 1}},
                                   kStorePatience, [](auto, auto) { return true; })));
}

}  // namespace
}  // namespace orbweaver
