// The store's calls for as many rows as one Thrift call takes, in Thrift's structures.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/store/hbase/thrift_caller.h"
#include "common/store/store.h"

namespace orbweaver {

namespace hbase_thrift {
class TResult;
}

// The one column family of all tables: its name stands in every cell.
inline constexpr char kFamily[] = "f";

// Rows as they came from the server; holds their bytes.
using Results = std::vector<hbase_thrift::TResult>;

// Place: between HBaseStore, which splits and gathers, and ThriftCaller, which retries. Thread-safe
// as ThriftCaller is. Every call blocks until `deadline` at most; errors as in store.h.
class RowCalls {
 public:
  RowCalls(ThriftCaller& caller, std::string table_prefix);

  // Appends one or more results that together hold an entry for each of `gets`, in their order.
  absl::Status Get(Table table, std::span<const RowGet> gets, SteadyTime deadline,
                   std::vector<std::shared_ptr<const Results>>* results);

  // No row may come twice in `puts`. On error none of them is known to be durable.
  absl::Status Put(Table table, std::span<const RowPut> puts, SteadyTime deadline);

  absl::Status Erase(Table table, std::span<const RowErase> erases, SteadyTime deadline);

  // The first `rows` rows of `range` (whose limit is not looked at); fewer: there are no more.
  absl::Status ScanPortion(Table table, const ScanRange& range, int rows, SteadyTime deadline,
                           Results* results);

  // Appends the cells of one result, as views, as one row. Versions that no put of ours can have
  // are a poison error.
  static absl::Status AppendRow(const hbase_thrift::TResult& result, Rows* rows);
  static std::string_view RowOf(const hbase_thrift::TResult& result);

 private:
  std::string FullName(Table table) const;

  ThriftCaller& caller_;
  const std::string table_prefix_;
};

}  // namespace orbweaver
