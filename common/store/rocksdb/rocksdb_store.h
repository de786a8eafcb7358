// The embedded store: tables of a RocksDB folder, for crawls on one machine.
//
// A cell is a key (row_key.h) and its value carries its version (versioned_value.h). Local reads do
// not wait for anybody, so `timeout` plays no part in them; a write waits while compactions are too
// far behind.
#pragma once

#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

#include "common/store/rocksdb/database.h"
#include "common/store/store.h"

namespace orbweaver {

// Thread-safe. Retries nothing but what compactions hold up: what else fails here (disk full,
// corruption) is fatal.
class RocksdbStore : public Store {
 public:
  // `database` must outlive the store.
  explicit RocksdbStore(Database& database) : database_(database) {}

  absl::Status MultiGet(Table table, std::span<const RowGet> gets, Duration timeout,
                        Rows* rows) override;
  absl::Status Write(Table table, std::span<const RowPut> puts, Duration timeout,
                     std::vector<uint32_t>* remaining) override ABSL_LOCKS_EXCLUDED(erase_mutex_);
  absl::Status Erase(Table table, std::span<const RowErase> erases, Duration timeout) override
      ABSL_LOCKS_EXCLUDED(erase_mutex_);
  absl::Status Scan(Table table, const ScanRange& range, Duration timeout,
                    Visitor visitor) override;

 private:
  absl::Status LookAndDelete(Table table, std::span<const RowErase> erases)
      ABSL_LOCKS_EXCLUDED(erase_mutex_);
  // One portion of a scan, from *from on; *from is moved on, and empty at the scan's end. With
  // *may_step it may go from row to row by steps, until it finds that seeks cost less.
  absl::Status ScanPortion(Table table, const ScanRange& range,
                           std::span<const std::string_view> columns, Visitor visitor,
                           std::string* from, uint64_t* visited, bool* may_step);

  Database& database_;
  // Erase looks at versions and then deletes: a put between the two would be lost, so writers share
  // it and an eraser excludes them.
  absl::Mutex erase_mutex_;
};

}  // namespace orbweaver
