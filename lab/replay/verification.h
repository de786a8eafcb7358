// Whether a strategy decides on a recorded spider log what the recorded scoring log says.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

#include "common/bus/message.h"
#include "lab/recording/recording.h"
#include "lab/replay/decision_comparison.h"
#include "lab/replay/replay_worker.h"

namespace orbweaver::lab {

struct VerificationResult {
  uint64_t events = 0;
  uint64_t equal = 0;  // decisions
  uint64_t equal_requests = 0;
  uint64_t behind_the_end = 0;  // decisions on events that the recorded worker had not decided on
  uint64_t dead_letters = 0;
  std::optional<Difference> first;
  uint64_t differences = 0;
  bool is_complete = true;  // false: it ended early, since so much was different
};

// Replays `recording` on `worker`, which is new. `go_on` is asked now and then with the number of
// events so far; when it says false the result is that of the events so far. Fatal: the recording
// lacks a topic, or does not begin at the beginning. Poison: it is damaged.
absl::StatusOr<VerificationResult> Verify(const Recording& recording, ReplayWorker& worker,
                                          absl::FunctionRef<bool(uint64_t events)> go_on);

// Fatal: no partition of `topic` was recorded.
absl::Status NeedTopic(const Recording& recording, std::string_view topic);

// Replays the events before that of `key` on `worker`, which is new: its store then has the states
// that the decision was made on. Visits the event itself.
absl::Status ReplayBefore(const Recording& recording, const DecisionKey& key, ReplayWorker& worker,
                          absl::FunctionRef<void(const Message& event)> visit);

}  // namespace orbweaver::lab
