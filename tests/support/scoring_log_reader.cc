#include "tests/support/scoring_log_reader.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/scoring_log.h"
#include "common/protocol/scoring_log_filter.h"

namespace orbweaver {
namespace {

struct Reader {
  ScoringLogContents& contents;
  ScoringLogFilter filter;
  Arena arena;

  absl::Status Take(const Message& message) {
    arena.Reset();
    ScoringLogEntry entry;
    RETURN_IF_ERROR(Decode(message.value, &arena, &entry));
    const ScoringLogFilter::Verdict verdict = filter.Take(message.offset, entry);
    ++(verdict == ScoringLogFilter::Verdict::kMarker ? contents.markers : contents.entries);
    contents.of_old_epochs += verdict == ScoringLogFilter::Verdict::kOfOldEpoch ? 1 : 0;
    contents.repeated += verdict == ScoringLogFilter::Verdict::kRepeated ? 1 : 0;
    if (verdict != ScoringLogFilter::Verdict::kCounts) return absl::OkStatus();
    for (const ScheduledRequest& request : std::get<ScheduleRequests>(entry.entry).requests) {
      ++contents.scheduled[std::string(request.url)];
    }
    return absl::OkStatus();
  }
};

}  // namespace

absl::Status ReadScoringLog(Bus& bus, int partitions, Duration timeout,
                            ScoringLogContents* contents) {
  *contents = {};
  ASSIGN_OR_RETURN(const auto offsets, bus.NewOffsetReader());
  for (int p = 0; p < partitions; ++p) {
    const PartitionId partition(p);
    ASSIGN_OR_RETURN(const auto bounds,
                     offsets->Bounds(kScoringLogTopic, {&partition, 1}, timeout));
    ASSIGN_OR_RETURN(const auto consumer, bus.NewConsumer({.group = "scoring-log-reader"}));
    const AssignedPartition from{.partition = partition, .position = bounds[0].start};
    RETURN_IF_ERROR(consumer->Assign(kScoringLogTopic, {&from, 1}));
    Reader reader{.contents = *contents};
    MessageBatch batch;
    for (Offset next = bounds[0].start; next < bounds[0].end;) {
      RETURN_IF_ERROR(consumer->Poll({}, timeout, &batch));
      if (batch.empty()) return TimeoutError("read the scoring log: nothing after {}", next);
      for (const Message& message : batch.messages()) {
        next = message.offset + 1;
        RETURN_IF_ERROR(reader.Take(message));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
