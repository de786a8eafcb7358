#include "strategy_worker/core/schedule_writer.h"

#include "common/base/status.h"
#include "common/base/text.h"
#include "common/model/split.h"

namespace orbweaver {

absl::Status ScheduleWriter::Write(Offset epoch, const ScheduleRequests& head,
                                   std::span<const ScheduledRequest> requests,
                                   std::vector<std::string>* entries) {
  entries->clear();
  if (requests.empty() && !head.domain_update.has_value()) return absl::OkStatus();
  ScheduleRequests schedule = head;
  size_t bytes = 0;
  do {
    const size_t count = FittingPrefix(requests, max_message_bytes_);
    schedule.requests = requests.first(count);
    requests = requests.subspan(count);
    ASSIGN_OR_RETURN(const std::string_view encoded,
                     Encode(ScoringLogEntry{.epoch = epoch, .entry = schedule}, &buffer_));
    entries->emplace_back(encoded);
    bytes += encoded.size();
    ++schedule.part;
    schedule.domain_update.reset();
  } while (!requests.empty());
  if (bytes > kMaxEventOutputBytes) {
    return PoisonError("{} requests take {} bytes, at most {} are allowed of one event",
                       requests.size(), bytes, kMaxEventOutputBytes);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> ReplaceEpoch(Offset epoch, Arena* arena, EncodeBuffer* buffer,
                                  std::string* entry) {
  ScoringLogEntry decoded;
  absl::Status status = Decode(*entry, arena, &decoded);
  if (status.ok() && decoded.epoch == epoch) return false;
  decoded.epoch = epoch;
  absl::StatusOr<std::string_view> encoded;
  if (status.ok()) {
    encoded = Encode(decoded, buffer);
    status = encoded.status();
  }
  if (!status.ok()) return FatalError("outbox: {}", MessageOf(status));
  entry->assign(*encoded);
  return true;
}

}  // namespace orbweaver
