// A store in memory whose writes can come late: after their worker was given up.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/store/memory/memory_store.h"

namespace orbweaver {

// While it holds, a write is not answered in time and reaches the store when Land says so; but for
// the table of partitions.
class LateStore : public MemoryStore {
 public:
  explicit LateStore(MemoryTables* tables) : MemoryStore(tables, {}) {}

  void Hold() { holds_ = true; }
  bool holds_something() const { return !held_.empty(); }
  void Land() {
    holds_ = false;
    for (const Held& held : held_) {
      std::vector<CellPut> cells;
      for (const auto& [column, value] : held.cells) cells.push_back({column, value});
      const RowPut put{.row = held.row, .version = held.version, .cells = cells};
      std::vector<uint32_t> remaining;
      EXPECT_TRUE(
          MemoryStore::Write(held.table, {&put, 1}, std::chrono::minutes(1), &remaining).ok());
    }
    held_.clear();
  }

  absl::Status Write(Table table, std::span<const RowPut> puts, Duration timeout,
                     std::vector<uint32_t>* remaining) override {
    if (!holds_ || table == Table::kPartitions)
      return MemoryStore::Write(table, puts, timeout, remaining);
    remaining->clear();
    for (size_t i = 0; i < puts.size(); ++i) {
      Held& held = held_.emplace_back(
          Held{.table = table, .row = std::string(puts[i].row), .version = puts[i].version});
      for (const CellPut& cell : puts[i].cells) {
        held.cells.emplace_back(std::string(cell.column), std::string(cell.value));
      }
      remaining->push_back(static_cast<uint32_t>(i));
    }
    return TimeoutError("put: no answer in time");
  }

 private:
  struct Held {
    Table table;
    std::string row;
    Version version;
    std::vector<std::pair<std::string, std::string>> cells;
  };

  bool holds_ = false;
  std::vector<Held> held_;
};

}  // namespace orbweaver
