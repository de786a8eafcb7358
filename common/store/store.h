// Rows of columns, atomic per row: where link states and the priority queue live.
//
// Place: below every worker's core, which sees the world only through Store, Consumer, Producer and
// Clock. Implementations: hbase/ (Thrift2), rocksdb/ (the embedded default), memory/ (simulation).
// tests/contract/store_contract.h holds for all.
//
// Versions. Every put carries one, and a cell shows the value of the highest version ever put,
// whatever the order in which the puts arrived and across restarts; of two puts with equal versions
// the later one shows. So a worker that lost its partition, but does not know it yet, cannot
// overwrite its successor.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/store/rows.h"

namespace orbweaver {

enum class Table : uint8_t { kDomains, kQueue, kPartitions, kPages };
inline constexpr Table kTables[] = {Table::kDomains, Table::kQueue, Table::kPartitions,
                                    Table::kPages};
std::string_view TableName(Table table);

// Rows and columns are any bytes; neither may be empty. A value may be empty. A row is at most 4
// KB, a column 1 KB, a row's put 16 MB: beyond that the call is refused as a whole with a fatal
// error.
inline constexpr size_t kMaxRowBytes = 4096;
inline constexpr size_t kMaxColumnBytes = 1024;
inline constexpr size_t kMaxPutBytes = size_t{16} << 20;
inline constexpr size_t kMaxRowsPerGet = 10'000;

// A row that has no cells does not exist: there are no empty rows.
struct RowGet {
  std::string_view row;
  std::span<const std::string_view> columns;  // each once, in any order; none: the whole row
};

struct CellPut {
  std::string_view column;
  std::string_view value;
};

// Other columns of the row stay as they are.
struct RowPut {
  std::string_view row;
  Version version;
  std::span<const CellPut> cells;  // at least one; a column at most once, in any order
};

// Removes the cells whose version is not above `version`. A column erased at a version must not be
// put again at that version or below: whether such a put shows is undefined (HBase keeps a
// tombstone until its next major compaction). A missing cell is no error.
struct RowErase {
  std::string_view row;
  Version version;
  std::span<const std::string_view> columns;  // none: all columns that the row has
};

// Rows sort as unsigned bytes; the row right after `r` is `r` and a zero byte, which is where a
// scan that ended at `r` goes on (and the reason why bounds may be one byte longer than a row).
struct ScanRange {
  std::string_view begin;                     // first row; empty: the table's first
  std::string_view end;                       // first row not wanted; empty: to the table's end
  std::span<const std::string_view> columns;  // each once, in any order; none: whole rows
  uint64_t limit = 0;                         // rows visited at most; 0: no limit
};

// Thread-safe. Every call may block for about its `timeout` at most; within it the implementation
// itself retries (a connection lost, a region moving, a server restarting). A call returns OK,
// DeadlineExceeded or Unavailable (retry: the caller may call again), or a fatal error. A call
// refused for a limit did nothing. Views passed in need to live only for the call.
class Store {
 public:
  // Sees one row and its cells, in ascending order of columns; the views live for the call. False
  // stops the scan.
  using Visitor = absl::FunctionRef<bool(std::string_view row, std::span<const Cell> cells)>;

  virtual ~Store() = default;

  // Replaces *rows with one entry per get, in the order of `gets`; a row that does not exist has no
  // cells. Each row is seen whole: never half of a put. At most kMaxRowsPerGet gets, in any order,
  // duplicates allowed. On error *rows is empty.
  virtual absl::Status MultiGet(Table table, std::span<const RowGet> gets, Duration timeout,
                                Rows* rows) = 0;

  // Puts rows, each atomically. The same row may come several times and is put in that order;
  // between different rows of a call there is none (parts go to several servers at once), so what
  // must stand before another row does takes a call of its own. OK: all are durable, *remaining is
  // empty. On error *remaining holds the indices (ascending) of the puts not known to be durable;
  // they may have happened, all others have. After a put that remains, the later ones of its row
  // remain too: putting what remains again, in that order and with the same versions, is safe.
  virtual absl::Status Write(Table table, std::span<const RowPut> puts, Duration timeout,
                             std::vector<uint32_t>* remaining) = 0;

  // Garbage collection, never on a hot path. On error some of it may have happened; erasing again
  // is safe.
  virtual absl::Status Erase(Table table, std::span<const RowErase> erases, Duration timeout) = 0;

  // Visits the rows of `range` that have at least one of the wanted cells, in ascending order, each
  // with its wanted cells. A broken connection is resumed without a row twice or skipped; rows
  // written meanwhile may be seen or not. `timeout` bounds the wait for each portion of rows, not
  // the whole scan. OK also when the visitor stopped it; on error the rows visited so far were
  // right, and the caller may go on after the last of them. The visitor may call the store.
  virtual absl::Status Scan(Table table, const ScanRange& range, Duration timeout,
                            Visitor visitor) = 0;
};

// The limits above, and non-empty names: fatal with the offending row otherwise. Implementations
// call it first.
absl::Status CheckGets(std::span<const RowGet> gets);
absl::Status CheckPuts(std::span<const RowPut> puts);
absl::Status CheckErases(std::span<const RowErase> erases);
absl::Status CheckScan(const ScanRange& range);

}  // namespace orbweaver
