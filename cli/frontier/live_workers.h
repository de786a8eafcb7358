// Which workers of a cluster report, and where their admin servers are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"

namespace orbweaver {

struct LiveWorker {
  std::string id;
  std::string role;
  std::string admin_address;  // empty: it did not say
  WallTime reported_at;
};

// Those that have reported in the last minute or two, by their names: from topic `stats`. Blocks
// for some calls of at most `timeout` each.
absl::StatusOr<std::vector<LiveWorker>> LiveWorkers(Bus& bus, std::string_view role,
                                                    Duration timeout);

}  // namespace orbweaver
