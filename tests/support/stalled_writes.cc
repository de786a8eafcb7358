#include "tests/support/stalled_writes.h"

#include <string>

#include "rocksdb/db.h"

#include "common/base/check.h"

namespace orbweaver {

StalledWrites::StalledWrites(Database& database) : database_(database) {
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

void StalledWrites::End() {
  if (!ended_) CHECK(database_.db().ContinueBackgroundWork().ok());
  ended_ = true;
}

}  // namespace orbweaver
