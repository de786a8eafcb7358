#include "db_worker/queue/partition.h"

#include <algorithm>

#include "common/base/check.h"

namespace orbweaver {

WallTime Partition::NextLook() const {
  // A step opens the buckets of some domains only; those of the others may have what is ready.
  if (index.IsAnyReady() || index.IsAnyOpened()) return look_after;
  return std::max(look_after, std::min(index.NextWake(), look_latest));
}

Version Partition::NextVersion() {
  const std::optional<Version> version = versions.Next();
  CHECK(version.has_value());
  ++flushes;
  return *version;
}

}  // namespace orbweaver
