// `orbweaver replay --strategy … --strategy …`: how their decisions differ.
#pragma once

#include "absl/status/statusor.h"
#include "cli/replay/replay_task.h"

namespace orbweaver {

// Compares the decisions of the task's strategies on the recorded events, of a single one with the
// recorded decisions, and prints the differences. Returns the exit code.
absl::StatusOr<int> CompareDecisions(const ReplayTask& task);

}  // namespace orbweaver
