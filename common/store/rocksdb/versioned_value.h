// A stored value: its version (8 bytes, big endian), then the cell's bytes. Every write is a
// RocksDB merge, and the merge keeps the highest version: so puts need not read what they replace,
// and a late put with a lower version loses wherever the two meet (memtable, flush, compaction or
// read).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/base/ids.h"

namespace rocksdb {
class MergeOperator;
}

namespace orbweaver {

inline constexpr size_t kVersionBytes = 8;

// `stored` must have kVersionBytes at least.
Version VersionOf(std::string_view stored);
inline std::string_view ValueOf(std::string_view stored) { return stored.substr(kVersionBytes); }

// Of two operands with equal versions the later one stays. A value too short to hold a version is
// corrupt and makes the merge fail.
std::shared_ptr<rocksdb::MergeOperator> NewHighestVersionMerge();

}  // namespace orbweaver
