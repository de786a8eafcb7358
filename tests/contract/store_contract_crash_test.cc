// Many threads, restarts, and servers killed with -9.
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/base/status.h"
#include "tests/contract/store_contract.h"

namespace orbweaver {
namespace {

TEST_P(StoreContract, ShowsAPutOfSixtyCellsWholeOrNotAtAll) {
  constexpr size_t kCells = 60;
  constexpr uint64_t kPuts = 300;
  const std::string row = Row("a"), end = Row("b");
  std::vector<std::string> columns;
  for (size_t i = 0; i < kCells; ++i) columns.push_back(Number(i));
  auto put = [&](uint64_t version) {
    Cells cells;
    for (const std::string& column : columns) cells.emplace_back(column, Number(version));
    Put(row, version, cells);
  };
  put(1);
  std::atomic<bool> done = false;
  auto check = [&](std::span<const Cell> cells) {
    EXPECT_EQ(cells.size(), kCells);
    std::set<std::string_view> values;
    for (const Cell& cell : cells) values.insert(cell.value);
    EXPECT_EQ(values.size(), 1u);
  };
  std::thread getter([&] {
    const std::vector<std::string_view> views(columns.begin(), columns.end());
    const RowGet gets[] = {{row, {}}, {row, views}};
    Rows rows;
    while (!done && !HasFailure()) {
      ASSERT_OK(store().MultiGet(kTable, gets, kStorePatience, &rows));
      check(rows[0]);
      check(rows[1]);
    }
  });
  std::thread scanner([&] {
    while (!done && !HasFailure()) {
      ASSERT_OK(store().Scan(kTable, {.begin = row, .end = end}, kStorePatience,
                             [&](auto, std::span<const Cell> cells) {
                               check(cells);
                               return true;
                             }));
    }
  });
  for (uint64_t version = 2; version <= kPuts; ++version) put(version);
  done = true;
  getter.join();
  scanner.join();
}

TEST_P(StoreContract, LetsTheHighestVersionWinAmongConcurrentWriters) {
  constexpr size_t kWriters = 6, kRounds = 20, kShared = 20;
  std::vector<std::string> shared;
  for (size_t i = 0; i < kShared; ++i) shared.push_back(Row(Number(i), i * 200 % kSlots));
  store();  // opened before the threads are there
  std::vector<std::thread> writers;
  for (size_t writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      for (size_t round = 0; round < kRounds; ++round) {
        // Later rounds have lower versions in every second writer.
        const uint64_t version =
            1 + writer + kWriters * (writer % 2 == 0 ? round : kRounds - 1 - round);
        PutRows(shared, version, "c", [&](size_t) { return std::to_string(version); });
        PutRows({Row("own" + Number(writer * kRounds + round))}, 1, "c",
                [&](size_t) { return "v"; });
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  for (const std::string& row : shared) {
    EXPECT_EQ(Get(row), (Cells{{"c", std::to_string(kWriters * kRounds)}}));
  }
  for (size_t i = 0; i < kWriters * kRounds; ++i) {
    EXPECT_EQ(Get(Row("own" + Number(i))), (Cells{{"c", "v"}}));
  }
}

TEST_P(StoreContract, ErasesNothingThatAConcurrentPutRaisesAboveTheErasedVersion) {
  constexpr uint64_t kRounds = 200;
  const std::string row = Row("contended");
  store();  // opened before the threads are there
  std::atomic<uint64_t> written = 0;
  std::thread eraser([&] {
    for (uint64_t version = 0; version < kRounds; version = written) {
      if (version > 0) Erase(row, version, {"c"});
    }
  });
  for (uint64_t version = 1; version <= kRounds; ++version) {
    Put(row, version, {{"c", std::to_string(version)}});
    // Nobody erases this version before it has been seen.
    EXPECT_EQ(Get(row, {"c"}), (Cells{{"c", std::to_string(version)}}));
    written = version;
  }
  eraser.join();
}

TEST_P(StoreContract, KeepsWhatWasWrittenWhenTheClientIsRestarted) {
  std::vector<std::string> names;
  for (size_t i = 0; i < 2000; ++i) names.push_back(Row(Number(i), i * 3 % kSlots));
  PutRows(names, 1, "c", [](size_t i) { return std::to_string(i); });
  env().Reopen();
  std::vector<RowGet> gets;
  for (const std::string& name : names) gets.push_back({name, {}});
  Rows rows;
  ASSERT_OK(store().MultiGet(kTable, gets, kStorePatience, &rows));
  for (size_t i = 0; i < names.size(); ++i) {
    ASSERT_EQ(rows[i].size(), 1u);
    EXPECT_EQ(rows[i][0].value, std::to_string(i));
  }
}

// Row i of the kill test, in a few cells so that a torn row would show.
class NumberedPuts {
 public:
  NumberedPuts(std::vector<std::string> rows, uint64_t first) : rows_(std::move(rows)) {
    for (size_t i = 0; i < rows_.size(); ++i) values_.push_back(std::to_string(first + i));
    for (const std::string& value : values_) {
      cells_.push_back({"a", value});
      cells_.push_back({"b", value});
    }
    for (size_t i = 0; i < rows_.size(); ++i) {
      puts_.push_back({rows_[i], Version(1), {&cells_[i * 2], 2}});
    }
  }
  std::span<const RowPut> all() const { return puts_; }

 private:
  std::vector<std::string> rows_, values_;
  std::vector<CellPut> cells_;
  std::vector<RowPut> puts_;
};

TEST_P(StoreContract, LosesNothingAckedWhenKilledInTheMiddleOfAHundredThousandWrites) {
  constexpr uint64_t kRows = 100'000, kPerCall = 1000;
  auto row = [&](uint64_t i) { return Row(Number(i), i * 31 % kSlots); };
  const StoreEnv::Work work = [&](Store& client, const Acked& acked) {
    for (uint64_t begin = 0; begin < kRows; begin += kPerCall) {
      std::vector<std::string> rows;
      for (uint64_t i = begin; i < begin + kPerCall; ++i) rows.push_back(row(i));
      const NumberedPuts puts(std::move(rows), begin);
      std::vector<RowPut> left(puts.all().begin(), puts.all().end());
      std::vector<uint32_t> remaining;
      while (!left.empty()) {
        const absl::Status status = client.Write(Table::kDomains, left, kStorePatience, &remaining);
        ASSERT_TRUE(status.ok() || IsRetry(status)) << status;
        std::vector<RowPut> still_left;
        for (const uint32_t index : remaining) still_left.push_back(left[index]);
        left = std::move(still_left);
      }
      acked(begin + kPerCall);
    }
  };
  const uint64_t acked = env().KillDuring(work, kRows / 4);
  ASSERT_GE(acked, kRows / 4);

  // Up to the end, not only to `acked`: what was not acknowledged may be there, but never in part.
  Rows rows;
  for (uint64_t begin = 0; begin < kRows; begin += kMaxRowsPerGet) {
    std::vector<std::string> names;
    for (uint64_t i = begin; i < begin + kMaxRowsPerGet; ++i) names.push_back(row(i));
    std::vector<RowGet> gets;
    for (const std::string& name : names) gets.push_back({name, {}});
    ASSERT_OK(store().MultiGet(Table::kDomains, gets, kStorePatience, &rows));
    for (uint64_t i = begin; i < begin + kMaxRowsPerGet; ++i) {
      const auto cells = rows[i - begin];
      if (i >= acked && cells.empty()) continue;
      ASSERT_EQ(cells.size(), 2u) << "row " << i << " of " << acked << " acknowledged";
      ASSERT_EQ(cells[0].value, std::to_string(i));
      ASSERT_EQ(cells[1].value, std::to_string(i));
    }
  }
}

// It is thawed only after the calls: one without a deadline would never come back.
TEST_P(StoreContract, EveryCallComesBackInItsTimeFromAServerThatHangs) {
  constexpr Duration kShort = std::chrono::milliseconds(300);
  const std::string row = Row("a"), end = Row("b");
  Put(row, 1, {{"c", "1"}});
  env().FreezeServer();
  const CellPut cell{"c", "2"};
  const RowPut put{row, Version(2), {&cell, 1}};
  std::vector<uint32_t> remaining;
  const absl::Status written = store().Write(kTable, {&put, 1}, kShort, &remaining);
  EXPECT_TRUE(written.ok() || IsRetry(written)) << written;
  EXPECT_EQ(remaining.size(), written.ok() ? 0u : 1u);
  const RowGet get{row, {}};
  Rows rows;
  const absl::Status got = store().MultiGet(kTable, {&get, 1}, kShort, &rows);
  EXPECT_TRUE(got.ok() || IsRetry(got)) << got;
  const absl::Status scanned =
      store().Scan(kTable, {.begin = row, .end = end}, kShort, [](auto, auto) { return true; });
  EXPECT_TRUE(scanned.ok() || IsRetry(scanned)) << scanned;
  const RowErase erase{row, Version(1), {}};
  const absl::Status erased = store().Erase(kTable, {&erase, 1}, kShort);
  EXPECT_TRUE(erased.ok() || IsRetry(erased)) << erased;
  env().ThawServer();
  Put(row, 3, {{"c", "3"}});
  EXPECT_EQ(Get(row), (Cells{{"c", "3"}}));
}

TEST_P(StoreContract, RecoversByItselfFromARestartOfTheServer) {
  const std::string before = Row("before"), meanwhile = Row("meanwhile"), after = Row("after");
  Put(before, 1, {{"c", "1"}});
  env().KillServer();
  const CellPut cell{"c", "2"};
  const RowPut put{meanwhile, Version(1), {&cell, 1}};
  std::vector<uint32_t> remaining;
  for (int i = 0; i < 3; ++i) {
    const absl::Status status =
        store().Write(kTable, {&put, 1}, std::chrono::milliseconds(300), &remaining);
    EXPECT_TRUE(status.ok() || IsRetry(status)) << status;
    EXPECT_EQ(remaining.size(), status.ok() ? 0u : 1u);
    Rows rows;
    const RowGet get{before, {}};
    const absl::Status got =
        store().MultiGet(kTable, {&get, 1}, std::chrono::milliseconds(300), &rows);
    EXPECT_TRUE(got.ok() || IsRetry(got)) << got;
    EXPECT_EQ(rows.size(), got.ok() ? 1u : 0u);
  }
  env().StartServer();
  Put(meanwhile, 1, {{"c", "2"}});
  Put(after, 1, {{"c", "3"}});
  EXPECT_EQ(Get(before), (Cells{{"c", "1"}}));
  EXPECT_EQ(Get(meanwhile), (Cells{{"c", "2"}}));
  EXPECT_EQ(Get(after), (Cells{{"c", "3"}}));
}

}  // namespace
}  // namespace orbweaver
