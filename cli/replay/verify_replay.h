// `orbweaver replay --verify`.
#pragma once

#include "absl/status/statusor.h"
#include "cli/replay/replay_task.h"

namespace orbweaver {

// Compares the decisions of the task's one strategy with the recorded ones, and prints the result.
// Returns the exit code.
absl::StatusOr<int> VerifyRecording(const ReplayTask& task);

}  // namespace orbweaver
