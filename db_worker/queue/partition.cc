#include "db_worker/queue/partition.h"

#include "common/base/check.h"

namespace orbweaver {

Version Partition::NextVersion() {
  const std::optional<Version> version = versions.Next();
  CHECK(version.has_value());
  ++flushes;
  return *version;
}

}  // namespace orbweaver
