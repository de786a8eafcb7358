// What one event schedules, as messages of the scoring log.
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

namespace orbweaver {

// Of one event in all: what its row's put takes at most, beside that of other events.
inline constexpr size_t kMaxEventOutputBytes = size_t{6} << 20;

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
