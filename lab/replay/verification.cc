#include "lab/replay/verification.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "lab/replay/merged_log.h"
#include "lab/replay/scoring_stream.h"

namespace orbweaver::lab {
namespace {

// Events that are decided on at once. A part of them is held in memory twice.
constexpr uint64_t kEventsPerRound = 5000;
// Decisions without a counterpart: then the two have nothing to do with one another.
constexpr size_t kMostOpen = 100'000;

// Recorded decisions that were written by `until`; all of them without.
absl::Status ReadDecisions(MergedLog& log, std::optional<WallTime> until, ScoringStream& stream,
                           DecisionComparison* comparison) {
  while (true) {
    ASSIGN_OR_RETURN(const Message* const next, log.Peek());
    if (next == nullptr || (until.has_value() && next->time > *until)) return absl::OkStatus();
    ASSIGN_OR_RETURN(const auto decision, stream.Take(next->partition, next->offset, next->value));
    if (decision.has_value()) comparison->AddRecorded(*decision);
    log.Pop();
  }
}

}  // namespace

absl::Status NeedTopic(const Recording& recording, std::string_view topic) {
  if (!recording.manifest().Partitions(topic).empty()) return absl::OkStatus();
  return FatalError("{}: {} is not in this recording. Record it with --topics {},{}",
                    recording.path().string(), topic, kSpiderLogTopic, kScoringLogTopic);
}

absl::StatusOr<VerificationResult> Verify(const Recording& recording, ReplayWorker& worker,
                                          absl::FunctionRef<bool(uint64_t events)> go_on) {
  for (const std::string_view topic : {kSpiderLogTopic, kScoringLogTopic}) {
    RETURN_IF_ERROR(NeedTopic(recording, topic));
  }
  VerificationResult result;
  MergedLog events(recording, kSpiderLogTopic, /*skip_damaged=*/false);
  MergedLog decisions(recording, kScoringLogTopic, /*skip_damaged=*/false);
  ScoringStream recorded, replayed;
  DecisionComparison comparison;
  bool is_at_end = false;
  for (uint64_t round = 0; !is_at_end && result.is_complete; ++round) {
    comparison.set_order(round);
    std::optional<WallTime> time;
    for (uint64_t i = 0; i < kEventsPerRound; ++i, ++result.events) {
      ASSIGN_OR_RETURN(const Message* const event, events.Peek());
      is_at_end = event == nullptr;
      if (is_at_end) break;
      time = event->time;
      RETURN_IF_ERROR(worker.Append(*event));
      events.Pop();
    }
    RETURN_IF_ERROR(worker.Apply());
    RETURN_IF_ERROR(worker.TakeScoringLog(
        [&](PartitionId partition, Offset offset, std::string_view value) -> absl::Status {
          ASSIGN_OR_RETURN(const auto decision, replayed.Take(partition, offset, value));
          if (decision.has_value()) comparison.AddReplayed(*decision);
          return absl::OkStatus();
        }));
    RETURN_IF_ERROR(
        ReadDecisions(decisions, is_at_end ? std::nullopt : time, recorded, &comparison));
    // A round later what was met first is complete.
    const bool is_over = comparison.open() >= kMostOpen || !go_on(result.events);
    result.is_complete = is_at_end || !is_over;
  }
  if (is_at_end) comparison.Finish();
  result.equal = comparison.equal();
  result.equal_requests = comparison.equal_requests();
  result.behind_the_end = comparison.behind_the_end();
  result.dead_letters = worker.dead_letters();
  // Of what ended early only pairs are sure to be different.
  result.differences = is_at_end ? comparison.open() : comparison.different();
  if (result.differences > 0 || comparison.open() >= kMostOpen) result.first = comparison.First();
  return result;
}

absl::Status ReplayBefore(const Recording& recording, const DecisionKey& key, ReplayWorker& worker,
                          absl::FunctionRef<void(const Message& event)> visit) {
  MergedLog events(recording, kSpiderLogTopic, /*skip_damaged=*/false);
  for (uint64_t i = 1;; ++i) {
    ASSIGN_OR_RETURN(const Message* const event, events.Peek());
    if (event == nullptr) {
      return FatalError("replay: {} partition {} has no event {}", kSpiderLogTopic, key.partition,
                        key.event);
    }
    if (event->partition == key.partition && event->offset == key.event) {
      RETURN_IF_ERROR(worker.Apply());
      visit(*event);
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(worker.Append(*event));
    events.Pop();
    if (i % kEventsPerRound == 0) {
      RETURN_IF_ERROR(worker.Apply());
      RETURN_IF_ERROR(worker.TakeScoringLog(
          [](PartitionId, Offset, std::string_view) { return absl::OkStatus(); }));
    }
  }
}

}  // namespace orbweaver::lab
