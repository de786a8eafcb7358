// Puts that are on their way when their worker has given them up, or is dead.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "common/base/random.h"
#include "common/base/status.h"
#include "common/store/memory/memory_store.h"

namespace orbweaver::sim {

// One a run. Not thread-safe.
class LatePuts {
 public:
  void Hold(Table table, std::span<const RowPut> puts, SteadyTime until) {
    for (const RowPut& put : puts) {
      Held held{.table = table, .row = std::string(put.row), .version = put.version};
      for (const CellPut& cell : put.cells) {
        held.cells.emplace_back(std::string(cell.column), std::string(cell.value));
      }
      held_.emplace(until, std::move(held));
    }
  }
  // Those that are due reach the store.
  void Land(SteadyTime now, MemoryTables* tables) {
    while (!held_.empty() && held_.begin()->first <= now) {
      const auto node = held_.extract(held_.begin());
      const Held& held = node.mapped();
      std::vector<CellPut> cells;
      for (const auto& [column, value] : held.cells) cells.push_back({column, value});
      tables->Put(held.table, {.row = held.row, .version = held.version, .cells = cells});
    }
  }
  bool empty() const { return held_.empty(); }

 private:
  struct Held {
    Table table;
    std::string row;
    Version version;
    std::vector<std::pair<std::string, std::string>> cells;
  };
  std::multimap<SteadyTime, Held> held_;
};

// Place: before a process's store. Some of its writes are not answered in time and reach the store
// up to `most` later.
class LateStore : public Store {
 public:
  LateStore(Store& store, LatePuts& late, ManualClock& clock, double chance, Duration most,
            uint64_t seed)
      : store_(store), late_(late), clock_(clock), chance_(chance), most_(most), random_(seed) {}

  absl::Status MultiGet(Table table, std::span<const RowGet> gets, Duration timeout,
                        Rows* rows) override {
    return store_.MultiGet(table, gets, timeout, rows);
  }
  absl::Status Write(Table table, std::span<const RowPut> puts, Duration timeout,
                     std::vector<uint32_t>* remaining) override {
    if (!random_.Chance(chance_)) return store_.Write(table, puts, timeout, remaining);
    const auto later = static_cast<uint64_t>(std::chrono::nanoseconds(most_).count());
    clock_.Advance(timeout);
    late_.Hold(table, puts, clock_.Now() + Duration(static_cast<int64_t>(random_.Below(later))));
    remaining->clear();
    for (uint32_t i = 0; i < puts.size(); ++i) remaining->push_back(i);
    return TimeoutError("put: no answer in time");
  }
  absl::Status Erase(Table table, std::span<const RowErase> erases, Duration timeout) override {
    return store_.Erase(table, erases, timeout);
  }
  absl::Status Scan(Table table, const ScanRange& range, Duration timeout,
                    Visitor visitor) override {
    return store_.Scan(table, range, timeout, visitor);
  }

 private:
  Store& store_;
  LatePuts& late_;
  ManualClock& clock_;
  const double chance_;
  const Duration most_;
  Random random_;
};

}  // namespace orbweaver::sim
