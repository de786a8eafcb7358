// Strategies over the same recorded events, and how their decisions differ.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

#include "lab/recording/recording.h"
#include "lab/replay/comparison_result.h"
#include "lab/replay/event_index.h"
#include "lab/replay/replay_worker.h"

namespace orbweaver::lab {

struct StrategyComparison {
  EventIndex events;  // that were replayed
  // With one worker its decisions (second) against the recorded ones (first). With more, those of
  // each but the first one, in their order, against the first one's.
  std::vector<ComparisonResult> results;
  std::vector<uint64_t> dead_letters;  // of each worker
  bool is_complete = true;             // false: it was stopped
};

// Replays `recording` on each of `workers`, which are new, on up to `threads` threads. Each
// worker's own decisions are what it remembers: only the events are common. `go_on` is asked now
// and then, with the number of events so far; when it says false the comparison is that of the
// events so far. Fatal: the recording lacks a topic, or does not begin at the beginning; no room on
// the disk. Poison: it is damaged.
absl::StatusOr<StrategyComparison> CompareStrategies(
    const Recording& recording, std::span<ReplayWorker* const> workers, unsigned threads,
    absl::FunctionRef<bool(uint64_t events)> go_on);

}  // namespace orbweaver::lab
