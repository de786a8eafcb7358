// The tables in HBase: made by `orbweaver init`, and compared with what they should be.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/store/hbase/hbase_options.h"
#include "common/store/hbase/thrift_caller.h"
#include "common/store/store.h"

namespace orbweaver {

// The first row of each region but the first: slots in two bytes, big endian.
std::vector<std::string> SplitKeys(int regions);

// Thread-safe. Each call blocks for `timeout` at most and retries as the store does.
class HBaseTables {
 public:
  // Does not connect. Fatal when the options cannot work.
  static absl::StatusOr<std::unique_ptr<HBaseTables>> Create(const HBaseOptions& options);

  std::string FullName(Table table) const;

  absl::StatusOr<bool> Exists(Table table, Duration timeout);

  // Makes the table as options.tables says; nothing happens when it exists already.
  absl::Status Make(Table table, Duration timeout);

  // The properties in which an existing table differs from its specification: "compression is NONE,
  // not GZ". The number of regions is not compared: it grows by itself.
  absl::StatusOr<std::vector<std::string>> Differences(Table table, Duration timeout);

 private:
  HBaseTables(const HBaseOptions& options, std::unique_ptr<ThriftCaller> caller);

  const HBaseOptions options_;
  const std::unique_ptr<ThriftCaller> caller_;
};

}  // namespace orbweaver
