// The store of simulations and replays: rows in memory, and faults by seed.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

#include "common/base/clock.h"
#include "common/base/random.h"
#include "common/base/simulated_process.h"
#include "common/store/memory/memory_tables.h"
#include "common/store/store.h"

namespace orbweaver {

// Faults between one process and the store. The same seed and the same calls give the same faults;
// everything is off by default.
struct StoreFaults {
  uint64_t seed = 0;
  // A call takes between these; where that is more than its timeout, it times out.
  Duration min_latency{};
  Duration max_latency{};
  // Besides, each row that is scanned or put takes so long. A Write that takes longer than its
  // timeout ends with what it has no time for in `remaining`.
  Duration row_time{};
  // Chance that a call fails before it did anything: Unavailable.
  double unavailable = 0;
  // Chance that a call's answer is lost: DeadlineExceeded. Of a Write, each put then has happened
  // and is known to; has happened, and is named in `remaining` nevertheless; or has not happened.
  double lost_answer = 0;
  // Puts of different rows happen in an order that the seed draws, so that a crash in the middle
  // leaves any of them. The contract promises an order only within a row.
  bool shuffle_writes = false;
};

struct MemoryStoreOptions {
  // Latencies and timeouts move this clock instead of waiting. Null: they are waited for.
  ManualClock* virtual_time = nullptr;
  // Crash points: "before put" and "after put" around each row put, likewise "erase", "get", "scan"
  // around each call (a scan: each portion). Null: none.
  SimulatedProcess* process = nullptr;
  StoreFaults faults;
};

// A worker's handle on MemoryTables, with a worker's own faults. Opened again on the same tables it
// is the worker after a restart.
//
// Thread-safe, but deterministic only when used by one thread.
class MemoryStore : public Store {
 public:
  // `tables`, and what `options` points to, must outlive the store.
  MemoryStore(MemoryTables* tables, const MemoryStoreOptions& options)
      : tables_(*tables), options_(options), random_(options.faults.seed) {}

  absl::Status MultiGet(Table table, std::span<const RowGet> gets, Duration timeout,
                        Rows* rows) override;
  absl::Status Write(Table table, std::span<const RowPut> puts, Duration timeout,
                     std::vector<uint32_t>* remaining) override;
  absl::Status Erase(Table table, std::span<const RowErase> erases, Duration timeout) override;
  absl::Status Scan(Table table, const ScanRange& range, Duration timeout,
                    Visitor visitor) override;

 private:
  enum class Fate { kDone, kUnavailable, kLostAnswer };

  void Reach(std::string_view point) {
    if (options_.process != nullptr) options_.process->Reach(point);
  }
  // Draws what becomes of a call and spends its latency. Not OK: the call must not happen at all.
  absl::Status Begin(std::string_view action, Table table, Duration timeout, Fate* fate);
  void Spend(Duration latency);
  absl::Status LostAnswer(std::string_view action, Table table) const;
  std::vector<uint32_t> WriteOrder(std::span<const RowPut> puts);
  absl::Status WriteAndLoseTheAnswer(Table table, std::span<const RowPut> puts,
                                     std::span<const uint32_t> order,
                                     std::vector<uint32_t>* remaining);
  void PutOne(Table table, const RowPut& put);

  MemoryTables& tables_;
  const MemoryStoreOptions options_;

  absl::Mutex mutex_;
  Random random_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace orbweaver
