// A stored value: its version (8 bytes, big endian), then the cell's bytes, compressed where the
// highest bit of the eight bytes is set, which no version has. Every write is a RocksDB merge, and
// the merge keeps the highest version: so puts need not read what they replace, and a late put with
// a lower version loses wherever the two meet (memtable, flush, compaction or read).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "common/store/rows.h"

namespace rocksdb {
class MergeOperator;
}

namespace orbweaver {

inline constexpr size_t kVersionBytes = 8;

// `stored` must have kVersionBytes at least.
Version VersionOf(std::string_view stored);

// A cell's value as it is to be stored, in two parts, one after the other: views of `value` and of
// what is in here, until the next one is packed. Not thread-safe.
class PackedValue {
 public:
  void Pack(Version version, std::string_view value);
  std::string_view version() const { return {version_, kVersionBytes}; }
  std::string_view value() const { return value_; }

 private:
  char version_[kVersionBytes] = {};
  std::string_view value_;
  std::string compressed_;
};

// Adds the cell that `stored` is to the rows' last one. False when it is corrupt; any bytes are
// safe.
[[nodiscard]] bool AddStored(std::string_view column, std::string_view stored, Rows* rows);

// Of two operands with equal versions the later one stays. A value too short to hold a version is
// corrupt and makes the merge fail.
std::shared_ptr<rocksdb::MergeOperator> NewHighestVersionMerge();

}  // namespace orbweaver
