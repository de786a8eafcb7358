// A RocksDB that takes no more writes, as when compactions are too far behind.
#pragma once

#include "common/store/rocksdb/database.h"

namespace orbweaver {

// From construction to End. `database` must have been opened with a small write buffer, which is
// filled here with rows of `pages` while nothing is flushed.
class StalledWrites {
 public:
  explicit StalledWrites(Database& database);
  ~StalledWrites() { End(); }

  void End();

 private:
  Database& database_;
  bool ended_ = false;
};

}  // namespace orbweaver
