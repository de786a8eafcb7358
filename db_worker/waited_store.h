// A store whose calls the worker's stage clock counts as waiting: however slow the store is, it is
// not this worker that is busy, and one more worker would wait too.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "common/metrics/stage_clock.h"
#include "common/store/store.h"

namespace orbweaver {

class WaitedStore : public Store {
 public:
  // Both must outlive it.
  WaitedStore(Store& store, StageClock& stage) : store_(store), stage_(stage) {}

  absl::Status MultiGet(Table table, std::span<const RowGet> gets, Duration timeout,
                        Rows* rows) override {
    const StageScope waits(stage_, StageState::kWaitsForOutput);
    return store_.MultiGet(table, gets, timeout, rows);
  }
  absl::Status Write(Table table, std::span<const RowPut> puts, Duration timeout,
                     std::vector<uint32_t>* remaining) override {
    const StageScope waits(stage_, StageState::kWaitsForOutput);
    return store_.Write(table, puts, timeout, remaining);
  }
  absl::Status Erase(Table table, std::span<const RowErase> erases, Duration timeout) override {
    const StageScope waits(stage_, StageState::kWaitsForOutput);
    return store_.Erase(table, erases, timeout);
  }
  absl::Status Scan(Table table, const ScanRange& range, Duration timeout,
                    Visitor visitor) override {
    const StageScope waits(stage_, StageState::kWaitsForOutput);
    return store_.Scan(table, range, timeout,
                       [&](std::string_view row, std::span<const Cell> cells) {
                         const StageScope works(stage_, StageState::kBusy);
                         return visitor(row, cells);
                       });
  }

 private:
  Store& store_;
  StageClock& stage_;
};

}  // namespace orbweaver
