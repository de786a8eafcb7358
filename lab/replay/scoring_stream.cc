#include "lab/replay/scoring_stream.h"

#include <variant>

#include "common/base/status.h"
#include "common/model/scoring_log.h"

namespace orbweaver::lab {

absl::StatusOr<std::optional<Decision>> ScoringStream::Take(PartitionId partition, Offset offset,
                                                            std::string_view value) {
  arena_.Reset();
  ScoringLogEntry entry;
  RETURN_IF_ERROR(Decode(value, &arena_, &entry));
  if (filters_[partition].Take(offset, entry) != ScoringLogFilter::Verdict::kCounts) {
    return std::nullopt;
  }
  auto& schedule = std::get<ScheduleRequests>(entry.entry);
  Decision decision{.key = {partition, schedule.source_offset, schedule.part},
                    .entry = {},
                    .domain = std::string(schedule.domain),
                    .requests = schedule.requests.size()};
  entry.epoch = Offset(0);
  schedule.source_topic_epoch = 1;
  ASSIGN_OR_RETURN(const std::string_view encoded, Encode(entry, &buffer_));
  decision.entry = encoded;
  return decision;
}

}  // namespace orbweaver::lab
