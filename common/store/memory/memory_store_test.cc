#include "common/store/memory/memory_store.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(10);

// Rows r0, r1, ... of one cell each; every row comes `times` times, with values v0, v1, ...
class Puts {
 public:
  Puts(size_t rows, size_t times) {
    for (size_t time = 0; time < times; ++time) {
      for (size_t row = 0; row < rows; ++row) Add(row, time);
    }
    for (size_t i = 0; i < names_.size(); ++i) {
      cells_.push_back({"c", values_[i]});
    }
    for (size_t i = 0; i < names_.size(); ++i) {
      puts_.push_back({names_[i], Version(1), {&cells_[i], 1}});
    }
  }
  std::span<const RowPut> all() const { return puts_; }

 private:
  void Add(size_t row, size_t time) {
    names_.push_back("r" + std::to_string(row));
    values_.push_back("v" + std::to_string(time));
  }
  std::vector<std::string> names_, values_;
  std::vector<CellPut> cells_;
  std::vector<RowPut> puts_;
};

std::string Value(MemoryTables& tables, std::string_view row) {
  Rows rows;
  tables.Get(Table::kQueue, {row, {}}, &rows);
  const Cell* const cell = rows.Find(0, "c");
  return cell == nullptr ? "" : std::string(cell->value);
}

std::map<std::string, std::string> Contents(MemoryTables& tables) {
  std::map<std::string, std::string> contents;
  MemoryStore store(&tables, {});
  EXPECT_TRUE(store
                  .Scan(Table::kQueue, {}, kTimeout,
                        [&](std::string_view row, std::span<const Cell> cells) {
                          contents[std::string(row)] = cells[0].value;
                          return true;
                        })
                  .ok());
  return contents;
}

// Everything that can be seen of a run with faults.
std::string Trace(uint64_t seed) {
  std::string trace;
  MemoryTables tables;
  ManualClock clock;
  MemoryStore store(&tables, {.virtual_time = &clock,
                              .faults = {.seed = seed,
                                         .min_latency = std::chrono::milliseconds(1),
                                         .max_latency = std::chrono::milliseconds(50),
                                         .unavailable = 0.2,
                                         .lost_answer = 0.3,
                                         .shuffle_writes = true}});
  const Puts puts(10, 3);
  for (int i = 0; i < 30; ++i) {
    std::vector<uint32_t> remaining;
    const absl::Status status = store.Write(Table::kQueue, puts.all(), kTimeout, &remaining);
    trace += fmt::format("{} {}:", static_cast<int>(status.code()),
                         clock.Now().time_since_epoch().count());
    for (const uint32_t index : remaining) trace += fmt::format(" {}", index);
    for (const auto& [row, value] : Contents(tables)) trace += row + "=" + value;
  }
  return trace;
}

TEST(MemoryStoreTest, RepeatsARunOfTheSameSeedAndNotThatOfAnother) {
  EXPECT_EQ(Trace(1), Trace(1));
  EXPECT_NE(Trace(1), Trace(2));
}

TEST(MemoryStoreTest, NamesEveryPutThatMayBeMissingAfterALostAnswer) {
  bool happened_but_named = false, missing = false, known = false;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    MemoryTables tables;
    MemoryStore store(&tables,
                      {.faults = {.seed = seed, .lost_answer = 1, .shuffle_writes = true}});
    const Puts puts(8, 1);
    std::vector<uint32_t> remaining;
    EXPECT_EQ(store.Write(Table::kQueue, puts.all(), kTimeout, &remaining).code(),
              absl::StatusCode::kDeadlineExceeded);
    const auto contents = Contents(tables);
    for (uint32_t i = 0; i < puts.all().size(); ++i) {
      const bool is_named = std::find(remaining.begin(), remaining.end(), i) != remaining.end();
      const bool is_there = contents.contains(std::string(puts.all()[i].row));
      EXPECT_TRUE(is_named || is_there) << "seed " << seed << " put " << i;
      happened_but_named |= is_named && is_there;
      missing |= !is_there;
      known |= !is_named;
    }
  }
  EXPECT_TRUE(happened_but_named && missing && known);
}

TEST(MemoryStoreTest, EndsWithTheLastPutOfEachRowWhenWhatRemainsIsPutAgain) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    MemoryTables tables;
    MemoryStore store(&tables,
                      {.faults = {.seed = seed, .lost_answer = 0.7, .shuffle_writes = true}});
    const Puts puts(5, 4);
    std::vector<RowPut> left(puts.all().begin(), puts.all().end());
    for (int tries = 0; !left.empty(); ++tries) {
      ASSERT_LT(tries, 1000);
      std::vector<uint32_t> remaining;
      (void)store.Write(Table::kQueue, left, kTimeout, &remaining);
      std::vector<RowPut> still_left;
      for (const uint32_t index : remaining) still_left.push_back(left[index]);
      left = still_left;
    }
    for (const auto& [row, value] : Contents(tables)) EXPECT_EQ(value, "v3") << row << ' ' << seed;
  }
}

TEST(MemoryStoreTest, DiesAtEachPointAndLeavesExactlyWhatWasDoneBefore) {
  const Puts puts(3, 1);
  for (int dies_at = 0; dies_at < 6; ++dies_at) {
    MemoryTables tables;
    int point = 0;
    SimulatedProcess process([&](std::string_view) { return point++ == dies_at; });
    MemoryStore store(&tables, {.process = &process});
    std::vector<uint32_t> remaining;
    EXPECT_THROW((void)store.Write(Table::kQueue, puts.all(), kTimeout, &remaining),
                 SimulatedCrash);
    EXPECT_EQ(Contents(tables).size(), static_cast<size_t>(dies_at + 1) / 2);
    EXPECT_TRUE(IsFatal(store.Write(Table::kQueue, puts.all(), kTimeout, &remaining)));
    EXPECT_EQ(Contents(tables).size(), static_cast<size_t>(dies_at + 1) / 2);
  }
}

TEST(MemoryStoreTest, LetsAnotherWorkerStepWhileOneIsFrozenBetweenTwoPuts) {
  MemoryTables tables;
  MemoryStore successor(&tables, {});
  const CellPut newer{"c", "newer"};
  std::vector<uint32_t> remaining;
  int puts_done = 0;
  SimulatedProcess zombie_process([&](std::string_view point) {
    if (point == "after put" && ++puts_done == 1) {
      const RowPut put{"r1", Version(2), {&newer, 1}};
      std::vector<uint32_t> none;
      EXPECT_TRUE(successor.Write(Table::kQueue, {&put, 1}, kTimeout, &none).ok());
    }
    return false;
  });
  MemoryStore zombie(&tables, {.process = &zombie_process});
  EXPECT_TRUE(zombie.Write(Table::kQueue, Puts(2, 1).all(), kTimeout, &remaining).ok());
  EXPECT_EQ(Value(tables, "r0"), "v0");
  EXPECT_EQ(Value(tables, "r1"), "newer");
}

TEST(MemoryStoreTest, SpendsLatencyOnTheVirtualClockAndTimesOutOnIt) {
  MemoryTables tables;
  ManualClock clock;
  const SteadyTime start = clock.Now();
  MemoryStore store(&tables, {.virtual_time = &clock,
                              .faults = {.min_latency = std::chrono::seconds(3),
                                         .max_latency = std::chrono::seconds(3)}});
  Rows rows;
  const RowGet get{"r", {}};
  EXPECT_TRUE(store.MultiGet(Table::kQueue, {&get, 1}, kTimeout, &rows).ok());
  EXPECT_EQ(clock.Now() - start, std::chrono::seconds(3));
  EXPECT_EQ(store.MultiGet(Table::kQueue, {&get, 1}, std::chrono::seconds(1), &rows).code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(rows.size(), 0u);
  EXPECT_EQ(clock.Now() - start, std::chrono::seconds(4));
}

TEST(MemoryStoreTest, HidesLowerPutsBehindATombstoneUntilItCompacts) {
  MemoryTables tables;
  const CellPut cell{"c", "v"};
  tables.Put(Table::kQueue, {"r", Version(5), {&cell, 1}});
  tables.Erase(Table::kQueue, {"r", Version(7), {}});
  tables.Put(Table::kQueue, {"r", Version(7), {&cell, 1}});
  EXPECT_EQ(Value(tables, "r"), "");
  tables.Compact();
  tables.Put(Table::kQueue, {"r", Version(7), {&cell, 1}});
  EXPECT_EQ(Value(tables, "r"), "v");
}

}  // namespace
}  // namespace orbweaver
