#include "lab/replay/verification.h"

#include <algorithm>
#include <span>
#include <utility>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "lab/replay/event_round.h"
#include "lab/replay/merged_log.h"
#include "lab/replay/scoring_stream.h"

namespace orbweaver::lab {
namespace {

// Decisions without a counterpart: then the two have nothing to do with one another.
constexpr size_t kMostOpen = 100'000;

// Recorded decisions that were written by `until`; all of them without.
absl::Status ReadDecisions(MergedLog& log, std::optional<WallTime> until, ScoringStream& stream,
                           DecisionComparison* comparison) {
  while (true) {
    ASSIGN_OR_RETURN(const Message* const next, log.Peek());
    if (next == nullptr || (until.has_value() && next->time > *until)) return absl::OkStatus();
    ASSIGN_OR_RETURN(auto decision, stream.Take(next->partition, next->offset, next->value));
    if (decision.has_value()) comparison->AddRecorded(*std::move(decision));
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
  MergedLog spider_log(recording, kSpiderLogTopic, /*skip_damaged=*/false);
  MergedLog scoring_log(recording, kScoringLogTopic, /*skip_damaged=*/false);
  EventRound events;
  ScoringStream recorded, replayed;
  DecisionComparison comparison;
  bool is_at_end = false;
  for (uint64_t round = 0; !is_at_end && result.is_complete; ++round) {
    comparison.set_order(round);
    RETURN_IF_ERROR(events.Read(&spider_log));
    ASSIGN_OR_RETURN(const Message* const next, spider_log.Peek());
    is_at_end = next == nullptr;
    result.events += events.events().size();
    RETURN_IF_ERROR(worker.Decide(events.events()));
    RETURN_IF_ERROR(worker.TakeScoringLog(
        [&](PartitionId partition, Offset offset, std::string_view value) -> absl::Status {
          ASSIGN_OR_RETURN(auto decision, replayed.Take(partition, offset, value));
          if (decision.has_value()) comparison.AddReplayed(*std::move(decision));
          return absl::OkStatus();
        }));
    std::optional<WallTime> until;
    if (!is_at_end) until = events.events().back().time;
    RETURN_IF_ERROR(ReadDecisions(scoring_log, until, recorded, &comparison));
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
  MergedLog log(recording, kSpiderLogTopic, /*skip_damaged=*/false);
  EventRound round;
  while (true) {
    RETURN_IF_ERROR(round.Read(&log));
    const std::span<const Message> events = round.events();
    const auto found = std::ranges::find_if(events, [&key](const Message& event) {
      return event.partition == key.partition && event.offset == key.event;
    });
    RETURN_IF_ERROR(worker.Decide({events.begin(), found}));
    if (found != events.end()) {
      visit(*found);
      return absl::OkStatus();
    }
    if (events.empty()) {
      return FatalError("replay: {} partition {} has no event {}", kSpiderLogTopic, key.partition,
                        key.event);
    }
    RETURN_IF_ERROR(worker.TakeScoringLog(
        [](PartitionId, Offset, std::string_view) { return absl::OkStatus(); }));
  }
}

}  // namespace orbweaver::lab
