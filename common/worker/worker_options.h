// The options of every worker process: its name and its membership in the group.
#pragma once

#include <string>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/worker/departure.h"
#include "common/worker/log_session.h"

namespace orbweaver {

namespace config {
class Schema;
}

struct WorkerOptions {
  // Its name is the member's: it keeps its partitions over a quick restart, and of two workers of
  // one kind and name the later fences the earlier. Empty: a worker without memory.
  GroupMembership membership;
  OnStop on_stop = OnStop::kStay;
  Duration stats_interval = std::chrono::seconds(5);
};

// worker.*; `options` must outlive the schema.
void DeclareWorkerOptions(config::Schema& schema, WorkerOptions* options);

// The membership, with its departure as `on_stop` says. Fatal when that cannot be.
absl::StatusOr<GroupMembership> MembershipOf(const WorkerOptions& options);

// How this worker calls itself in markers and reports: its name, or host and process.
std::string WorkerId(const WorkerOptions& options);

}  // namespace orbweaver
