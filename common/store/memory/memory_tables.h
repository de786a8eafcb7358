// The rows of a simulated store: what outlives every process that uses it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

#include "common/store/store.h"

namespace orbweaver {

// Place: below MemoryStore; several stores on one MemoryTables are several worker processes. The
// caller has checked names and sizes.
//
// Behaves as HBase where the contract leaves a choice: an erased cell leaves a tombstone that hides
// later puts of the same or lower versions, until Compact.
//
// Thread-safe.
class MemoryTables {
 public:
  void Put(Table table, const RowPut& put) ABSL_LOCKS_EXCLUDED(mutex_);
  void Erase(Table table, const RowErase& erase) ABSL_LOCKS_EXCLUDED(mutex_);

  // Appends one row to *rows.
  void Get(Table table, const RowGet& get, Rows* rows) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Appends up to `max_rows` rows of `range` that have a wanted cell to *rows, and their names to
  // *names; `range.limit` is not looked at. Stops early after a few megabytes. *next is where to go
  // on, nothing at the end of the range.
  void Read(Table table, const ScanRange& range, size_t max_rows, Rows* rows,
            std::vector<std::string>* names, std::optional<std::string>* next) const
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Forgets the tombstones, as HBase's major compaction does.
  void Compact() ABSL_LOCKS_EXCLUDED(mutex_);

  // While not available every call of every store fails: the servers are down. Nothing is lost.
  void SetAvailable(bool available) { available_ = available; }
  bool available() const { return available_; }

  // Cells looked at by gets and scans so far, wanted or not: what a scan costs.
  uint64_t cells_read() const { return cells_read_; }

 private:
  struct StoredCell {
    Version version;
    std::string value;
  };
  struct StoredRow {
    std::map<std::string, StoredCell, std::less<>> cells;
    std::map<std::string, Version, std::less<>> erased;
    std::optional<Version> row_erased;
  };
  using Rowset = std::map<std::string, StoredRow, std::less<>>;

  // Appends the wanted cells of `row` without ending the row; the bytes that were added.
  size_t AddCells(const StoredRow& row, std::span<const std::string_view> columns, Rows* rows) const
      ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  const Rowset& Of(Table table) const ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return tables_[static_cast<size_t>(table)];
  }

  std::atomic<bool> available_ = true;
  mutable std::atomic<uint64_t> cells_read_ = 0;

  mutable absl::Mutex mutex_;
  std::array<Rowset, std::size(kTables)> tables_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace orbweaver
