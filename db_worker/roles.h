// The roles of a db worker process: a part of all that db workers do.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace orbweaver {

// `queue` stands for `enqueue` and `dequeue`. They are one: both put the head of a domain's row,
// and a row has one writer, so the partitions of scoring log and feed are always owned together.
// `pages` has its own consumer group and its own rows, so it may run anywhere.
struct Roles {
  bool queue = false;
  bool pages = false;

  friend bool operator==(const Roles&, const Roles&) = default;
};

// Of db_worker.roles. Fatal, with what is allowed, for one of enqueue and dequeue alone, for an
// unknown name, and for none at all.
absl::StatusOr<Roles> ParseRoles(const std::vector<std::string>& names);

}  // namespace orbweaver
