// A store whose client makes a planted mistake.
#pragma once

#include <string>
#include <vector>

#include "common/store/memory/memory_store.h"
#include "tests/sim/whole/planted_faults.h"

namespace orbweaver::sim {

// Place: between a worker and its store. Faults that are none of a store change nothing.
class PlantedStore : public Store {
 public:
  // `store` is on `tables`; both must outlive it.
  PlantedStore(Store& store, MemoryTables* tables, PlantedFault fault)
      : store_(store), tables_(*tables), fault_(fault) {}

  absl::Status MultiGet(Table table, std::span<const RowGet> gets, Duration timeout,
                        Rows* rows) override;
  absl::Status Write(Table table, std::span<const RowPut> puts, Duration timeout,
                     std::vector<uint32_t>* remaining) override;
  absl::Status Erase(Table table, std::span<const RowErase> erases, Duration timeout) override;
  absl::Status Scan(Table table, const ScanRange& range, Duration timeout,
                    Visitor visitor) override;

 private:
  struct Held {
    std::string row;
    Version version;
    std::string column;
    std::string head;
  };

  // The value of `cell`, one of `row`, as this client sees it.
  std::string Seen(Table table, std::span<const Cell> row, const Cell& cell) const;
  // Puts of heads alone are called durable, and happen after the next put of a checkpoint.
  absl::Status WriteHeadsLast(Table table, std::span<const RowPut> puts, Duration timeout,
                              std::vector<uint32_t>* remaining);

  Store& store_;
  MemoryTables& tables_;
  const PlantedFault fault_;
  std::vector<Held> held_;
};

}  // namespace orbweaver::sim
