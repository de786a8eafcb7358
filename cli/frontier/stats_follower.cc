#include "cli/frontier/stats_follower.h"

#include <string>

#include "cli/frontier/log_reader.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/arena.h"

namespace orbweaver {
namespace {

// Reading joins no group and commits nothing, but a consumer must name one.
constexpr char kFollower[] = "orbweaver-console";
constexpr PartitionId kOnlyPartition{0};
// Of one call: two minutes of a thousand workers.
constexpr int64_t kMostMessages = 50'000;

}  // namespace

WorkerReport ReportOf(const WorkerStats& stats) {
  WorkerReport report{.id = std::string(stats.worker_id),
                      .role = std::string(stats.role),
                      .version = std::string(stats.version),
                      .admin_address = std::string(stats.admin_address),
                      .started_at = stats.started_at,
                      .reported_at = stats.reported_at,
                      .vitals = {}};
  for (const CounterValue& counter : stats.counters) {
    report.vitals.Take(counter.key, static_cast<double>(counter.value));
  }
  for (const GaugeValue& gauge : stats.gauges) report.vitals.Take(gauge.key, gauge.value);
  return report;
}

absl::Status StatsFollower::Begin(WallTime now, Duration timeout) {
  ASSIGN_OR_RETURN(offsets_, bus_.NewOffsetReader());
  ASSIGN_OR_RETURN(const auto bounds, FindBounds(bus_,
                                                 {.topic = std::string(kStatsTopic),
                                                  .partition = kOnlyPartition,
                                                  .since = now - WorkerBook::kSilence},
                                                 timeout));
  next_ = bounds.at(kOnlyPartition).start;
  ASSIGN_OR_RETURN(consumer_, bus_.NewConsumer({.group = kFollower}));
  const AssignedPartition from{.partition = kOnlyPartition, .position = next_};
  absl::Status assigned = consumer_->Assign(kStatsTopic, {&from, 1});
  if (!assigned.ok()) consumer_.reset();
  return assigned;
}

absl::Status StatsFollower::Follow(WallTime now, Duration timeout, WorkerBook* book) {
  if (consumer_ == nullptr) RETURN_IF_ERROR(Begin(now, timeout));
  ASSIGN_OR_RETURN(const auto bounds, offsets_->Bounds(kStatsTopic, {&kOnlyPartition, 1}, timeout));
  const Offset end = bounds[0].end;
  // The log was made anew.
  if (end < next_) {
    consumer_.reset();
    return RetryError("follow topic {}: it ends at {}, {} was read", kStatsTopic, end, next_);
  }
  Arena arena;
  MessageBatch batch;
  for (const Offset begin = next_; next_ < end && next_ - begin < kMostMessages;) {
    const absl::Status polled = consumer_->Poll({}, timeout, &batch);
    // Retention has deleted what was to be read next.
    if (absl::IsOutOfRange(polled)) consumer_.reset();
    RETURN_IF_ERROR(polled);
    // The rest is no messages, or slow to come.
    if (batch.empty()) break;
    for (const Message& message : batch.messages()) {
      next_ = message.offset + 1;
      arena.Reset();
      WorkerStats stats;
      if (Decode(message.value, &arena, &stats).ok()) book->Note(ReportOf(stats), now);
    }
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
