#include "common/protocol/group_pulse.h"

#include "common/base/status.h"

namespace orbweaver {

GroupPulse::GroupPulse(Consumer& consumer, const Clock& clock)
    : consumer_(consumer), clock_(clock), last_poll_(clock.Now()) {}

absl::Status GroupPulse::Poll(const PollLimits& limits, Duration timeout, MessageBatch* batch) {
  const absl::Status polled = consumer_.Poll(limits, timeout, batch);
  last_poll_ = clock_.Now();
  return polled;
}

absl::Status GroupPulse::Beat(std::span<const PartitionId> reading) {
  paused_ = true;
  for (const PartitionId partition : reading) {
    RETURN_IF_ERROR(consumer_.SetPaused(partition, true));
  }
  MessageBatch none;
  const absl::Status polled = Poll({}, Duration::zero(), &none);
  if (!none.empty()) return FatalError("poll: messages of a paused partition");
  const bool is_cut = polled.code() == absl::StatusCode::kOutOfRange;
  return is_cut || IsFenced(polled) ? polled : absl::OkStatus();
}

absl::Status GroupPulse::Resume(std::span<const PartitionId> reading) {
  for (const PartitionId partition : reading) {
    RETURN_IF_ERROR(consumer_.SetPaused(partition, false));
  }
  paused_ = false;
  return absl::OkStatus();
}

}  // namespace orbweaver
