#include "tests/support/scoring_log_reader.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/scoring_log.h"
#include "common/protocol/epoch_filter.h"
#include "common/protocol/watermark.h"

namespace orbweaver {
namespace {

struct Reader {
  ScoringLogContents& contents;
  EpochFilter epochs;
  std::map<std::string, Watermark> applied;
  Arena arena;

  absl::Status Take(const Message& message) {
    arena.Reset();
    ScoringLogEntry entry;
    RETURN_IF_ERROR(Decode(message.value, &arena, &entry));
    if (std::holds_alternative<Marker>(entry.entry)) {
      ++contents.markers;
      epochs.Pass(message.offset);
      return absl::OkStatus();
    }
    ++contents.entries;
    if (!epochs.Accepts(entry.epoch)) {
      ++contents.of_old_epochs;
      return absl::OkStatus();
    }
    const auto& schedule = std::get<ScheduleRequests>(entry.entry);
    const Watermark source{schedule.source_topic_epoch, schedule.source_offset, schedule.part};
    Watermark& watermark = applied[std::string(schedule.domain)];
    if (source <= watermark) {
      ++contents.repeated;
      return absl::OkStatus();
    }
    watermark = source;
    for (const ScheduledRequest& request : schedule.requests) {
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
