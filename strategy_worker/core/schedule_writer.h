// Encodes the requests that one event schedules as messages of the scoring log.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "common/base/ids.h"
#include "common/model/encode_buffer.h"
#include "common/model/scoring_log.h"
#include "common/store/store.h"

namespace orbweaver {

// Of one event in all. A row's put is bounded (kMaxPutBytes), and outboxes are part of it: one that
// was claimed, and what a batch adds.
inline constexpr size_t kMaxEventOutputBytes = size_t{3} << 20;
inline constexpr size_t kMaxBatchOutputBytes = size_t{4} << 20;
static_assert(2 * (kMaxEventOutputBytes + kMaxBatchOutputBytes) < kMaxPutBytes);

// Place: inside EventHandler. Not thread-safe.
class ScheduleWriter {
 public:
  explicit ScheduleWriter(size_t max_message_bytes) : max_message_bytes_(max_message_bytes) {}

  // Replaces *entries with the messages, split where one would be too large; none when there is
  // nothing to say. `head`: source, domain and update, without requests. Poison when a bound of the
  // messages is broken (meta of a strategy), or they take more than kMaxEventOutputBytes.
  absl::Status Write(Offset epoch, const ScheduleRequests& head,
                     std::span<const ScheduledRequest> requests, std::vector<std::string>* entries);

 private:
  const size_t max_message_bytes_;
  EncodeBuffer buffer_;
};

// Puts the epoch of another owner into an entry of an outbox, unless it is there already; whether
// it was not. Fatal when it is no entry.
absl::StatusOr<bool> ReplaceEpoch(Offset epoch, Arena* arena, EncodeBuffer* buffer,
                                  std::string* entry);

}  // namespace orbweaver
