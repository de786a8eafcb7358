#include "db_worker/roles.h"

#include "common/base/status.h"

namespace orbweaver {

absl::StatusOr<Roles> ParseRoles(const std::vector<std::string>& names) {
  bool enqueue = false, dequeue = false, pages = false;
  for (const std::string& name : names) {
    if (name == "enqueue") {
      enqueue = true;
    } else if (name == "dequeue") {
      dequeue = true;
    } else if (name == "pages") {
      pages = true;
    } else {
      return FatalError("db_worker.roles: '{}' is no role. Roles are enqueue, dequeue and pages",
                        name);
    }
  }
  if (enqueue != dequeue) {
    return FatalError(
        "db_worker.roles: '{}' alone. A domain's queue has one writer: give one worker both "
        "enqueue "
        "and dequeue; start more workers to share the partitions",
        enqueue ? "enqueue" : "dequeue");
  }
  if (!enqueue && !pages) return FatalError("db_worker.roles: none. Leave it out for all of them");
  return Roles{.queue = enqueue, .pages = pages};
}

}  // namespace orbweaver
