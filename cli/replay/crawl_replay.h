// `orbweaver replay --crawl`.
#pragma once

#include "absl/status/statusor.h"
#include "cli/replay/crawl_replay_arguments.h"
#include "cli/replay/replay_task.h"

namespace orbweaver {

// Crawls the recorded web with each of the task's strategies, as many at a time as there are
// processors, and prints the result. Returns the exit code.
absl::StatusOr<int> CrawlRecording(const ReplayTask& task, const CrawlReplayArguments& arguments);

}  // namespace orbweaver
