// The store on HBase, through its Thrift2 servers.
#pragma once

#include <array>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "common/store/hbase/hbase_options.h"
#include "common/store/hbase/parallel.h"
#include "common/store/hbase/row_calls.h"
#include "common/store/hbase/thrift_caller.h"
#include "common/store/row_estimate.h"
#include "common/store/store.h"

namespace orbweaver {

// Thread-safe, as Store says. The tables are made beforehand (hbase_tables.h). Versions are HBase's
// cell timestamps. Rows of one call are split and sent in parallel; a failed server is stood in for
// by the others, a restart of all is waited for within a call's timeout.
//
// Where HBase gives less than store.h promises: when a connection breaks while a row is put twice
// with *equal* versions, the first put may still be under way in the server and show in the end.
class HBaseStore : public Store {
 public:
  // Does not connect: a server that is not there yet shows in the first call. Fatal when the
  // options cannot work.
  static absl::StatusOr<std::unique_ptr<HBaseStore>> Create(const HBaseOptions& options);

  absl::Status MultiGet(Table table, std::span<const RowGet> gets, Duration timeout,
                        Rows* rows) override;
  absl::Status Write(Table table, std::span<const RowPut> puts, Duration timeout,
                     std::vector<uint32_t>* remaining) override;
  absl::Status Erase(Table table, std::span<const RowErase> erases, Duration timeout) override;
  // Each portion is a scan of its own, so that nothing is kept in a server that may go away.
  absl::Status Scan(Table table, const ScanRange& range, Duration timeout,
                    Visitor visitor) override;

 private:
  HBaseStore(const HBaseOptions& options, std::unique_ptr<ThriftCaller> caller);

  // How many rows of the table one get asks for: as many as are expected to fit into an answer.
  size_t RowsPerGet(Table table) const;
  // Fewer rows of it next time: an answer that is too large for a server looks like a broken
  // connection or a slow server.
  void LearnFailure(Table table, size_t rows);

  const HBaseOptions options_;
  const std::unique_ptr<ThriftCaller> caller_;
  RowCalls calls_;
  Parallel parallel_;
  std::array<RowEstimate, std::size(kTables)> estimates_;  // of what a row takes in an answer
};

}  // namespace orbweaver
