// A RocksDB that takes no more writes, as when compactions are too far behind.
#pragma once

#include <string>

#include "rocksdb/db.h"

#include "common/base/check.h"
#include "common/store/rocksdb/database.h"

namespace orbweaver {

// From construction to End. `database` must have been opened with a small write buffer, which is
// filled here with rows of `pages` while nothing is flushed.
class StalledWrites {
 public:
  explicit StalledWrites(Database& database) : database_(database) {
    CHECK(database_.db().PauseBackgroundWork().ok());
    absl::Status status;
    for (int i = 0; status.ok(); ++i) {
      rocksdb::WriteBatch batch;
      const std::string key = "filler" + std::to_string(i) + std::string("\0\1c", 3);
      CHECK(batch.Merge(database_.table(Table::kPages), key, std::string(10'000, 'v')).ok());
      status = database_.Write(&batch, "fill");
    }
    CHECK(absl::IsUnavailable(status));
  }
  ~StalledWrites() { End(); }

  void End() {
    if (!ended_) CHECK(database_.db().ContinueBackgroundWork().ok());
    ended_ = true;
  }

 private:
  Database& database_;
  bool ended_ = false;
};

}  // namespace orbweaver
