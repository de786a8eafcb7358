// The tables in HBase: made by `orbweaver init`, and compared with what they should be.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/store/hbase/hbase_options.h"
#include "common/store/hbase/thrift_caller.h"
#include "common/store/store.h"

namespace orbweaver {

// How the tables are laid out. One family, one version, a row bloom filter, ROW_INDEX_V1 blocks and
// no TTL are not for choice: see README.md.
struct TableLayout {
  // Regions of each table at its creation, even over the slots; from 1 to kSlots. `partitions`, a
  // few rows, has one.
  int regions = 16;
  std::string compression = "GZ";  // NONE, GZ, SNAPPY, LZ4, ZSTD, BZIP2 or LZO
  int block_bytes = 16384;
};

// Fatal, naming the choices, when HBase has no such compression.
absl::Status CheckLayout(const TableLayout& layout);

// The first row of each region but the first: slots in two bytes, big endian.
std::vector<std::string> SplitKeys(int regions);

// Thread-safe. Each call blocks for `timeout` at most and retries as the store does.
class HBaseTables {
 public:
  // Does not connect. Fatal when the options cannot work.
  static absl::StatusOr<std::unique_ptr<HBaseTables>> Create(const HBaseOptions& options);

  std::string FullName(Table table) const;

  absl::StatusOr<bool> Exists(Table table, Duration timeout);

  // Makes the table; nothing happens when it exists already.
  absl::Status Make(Table table, const TableLayout& layout, Duration timeout);

  // What an existing table has otherwise than `layout`: "compression is NONE, not GZ". The number
  // of regions is not looked at: it grows by itself.
  absl::StatusOr<std::vector<std::string>> Differences(Table table, const TableLayout& layout,
                                                       Duration timeout);

 private:
  HBaseTables(const HBaseOptions& options, std::unique_ptr<ThriftCaller> caller);

  const std::string prefix_;
  const std::unique_ptr<ThriftCaller> caller_;
};

}  // namespace orbweaver
