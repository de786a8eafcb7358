#include "lab/replay/strategy_comparison.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "lab/replay/event_round.h"
#include "lab/replay/merged_log.h"
#include "lab/replay/request_comparison.h"
#include "lab/replay/scoring_stream.h"
#include "lab/replay/verification.h"

namespace orbweaver::lab {
namespace {

// A worker, and its decisions on one round.
struct Runner {
  ReplayWorker* worker;
  ScoringStream stream = {};
  std::vector<Decision> decisions = {};
  absl::Status status = absl::OkStatus();

  absl::Status Run(std::span<const Message> events) {
    decisions.clear();
    RETURN_IF_ERROR(worker->Decide(events));
    return worker->TakeScoringLog(
        [this](PartitionId partition, Offset offset, std::string_view value) -> absl::Status {
          ASSIGN_OR_RETURN(auto decision, stream.Take(partition, offset, value));
          if (decision.has_value()) decisions.push_back(*std::move(decision));
          return absl::OkStatus();
        });
  }
};

// Threads that run all runners over one round. Joined when it ends.
class RunningRound {
 public:
  RunningRound(std::vector<Runner>* runners, std::span<const Message> events, unsigned threads) {
    const size_t count = std::clamp<size_t>(threads, 1, runners->size());
    for (size_t i = 0; i < count; ++i) {
      threads_.emplace_back([this, runners, events] {
        for (size_t at = next_++; at < runners->size(); at = next_++) {
          (*runners)[at].status = (*runners)[at].Run(events);
        }
      });
    }
  }
  ~RunningRound() {
    for (std::thread& thread : threads_) thread.join();
  }
  RunningRound(const RunningRound&) = delete;
  RunningRound& operator=(const RunningRound&) = delete;

 private:
  std::atomic<size_t> next_ = 0;
  std::vector<std::thread> threads_;
};

// The recorded decisions, which stand in a log of their own behind the events.
class RecordedDecisions {
 public:
  explicit RecordedDecisions(const Recording& recording)
      : log_(recording, kScoringLogTopic, /*skip_damaged=*/false) {}

  // Those that were written by `until`; without, all that are left.
  absl::Status AddTo(RequestComparison* comparison, std::optional<WallTime> until) {
    while (true) {
      ASSIGN_OR_RETURN(const Message* const next, log_.Peek());
      if (next == nullptr || (until.has_value() && next->time > *until)) return absl::OkStatus();
      ASSIGN_OR_RETURN(const auto decision,
                       stream_.Take(next->partition, next->offset, next->value));
      if (decision.has_value()) RETURN_IF_ERROR(comparison->Add(Side::kFirst, *decision));
      log_.Pop();
    }
  }

 private:
  MergedLog log_;
  ScoringStream stream_;
};

absl::Status CompareRound(const std::vector<Runner>& runners, RecordedDecisions* recorded,
                          std::optional<WallTime> until,
                          std::vector<std::unique_ptr<RequestComparison>>* comparisons) {
  for (size_t i = 0; i < comparisons->size(); ++i) {
    RequestComparison& comparison = *(*comparisons)[i];
    const Runner& second = recorded != nullptr ? runners[0] : runners[i + 1];
    for (const Decision& decision : second.decisions) {
      RETURN_IF_ERROR(comparison.Add(Side::kSecond, decision));
    }
    if (recorded != nullptr) {
      RETURN_IF_ERROR(recorded->AddTo(&comparison, until));
    } else {
      for (const Decision& decision : runners[0].decisions) {
        RETURN_IF_ERROR(comparison.Add(Side::kFirst, decision));
      }
    }
    RETURN_IF_ERROR(comparison.EndRound());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StrategyComparison> CompareStrategies(
    const Recording& recording, std::span<ReplayWorker* const> workers, unsigned threads,
    absl::FunctionRef<bool(uint64_t events)> go_on) {
  RETURN_IF_ERROR(NeedTopic(recording, kSpiderLogTopic));
  StrategyComparison comparison;
  std::optional<RecordedDecisions> recorded;
  if (workers.size() == 1) {
    RETURN_IF_ERROR(NeedTopic(recording, kScoringLogTopic));
    recorded.emplace(recording);
  }
  RecordedDecisions* const first = recorded.has_value() ? &*recorded : nullptr;
  std::vector<Runner> runners;
  for (ReplayWorker* const worker : workers) runners.push_back({.worker = worker});
  std::vector<std::unique_ptr<RequestComparison>> comparisons;
  for (size_t i = first != nullptr ? 0 : 1; i < workers.size(); ++i) {
    comparisons.push_back(std::make_unique<RequestComparison>(comparison.events));
  }
  MergedLog log(recording, kSpiderLogTopic, /*skip_damaged=*/false);
  EventRound round;
  while (comparison.is_complete) {
    RETURN_IF_ERROR(round.Read(&log));
    if (round.events().empty()) break;
    for (const Message& event : round.events()) {
      comparison.events.Add(
          {.partition = event.partition, .offset = event.offset, .time = event.time});
    }
    {
      const RunningRound running(&runners, round.events(), threads);
    }
    for (const Runner& runner : runners) RETURN_IF_ERROR(runner.status);
    RETURN_IF_ERROR(CompareRound(runners, first, round.events().back().time, &comparisons));
    comparison.is_complete = go_on(comparison.events.size());
  }
  for (const auto& one : comparisons) {
    // Decisions come later than their events.
    if (first != nullptr) RETURN_IF_ERROR(first->AddTo(one.get(), std::nullopt));
    ASSIGN_OR_RETURN(ComparisonResult result, one->Finish(first != nullptr));
    comparison.results.push_back(std::move(result));
  }
  for (ReplayWorker* const worker : workers) {
    comparison.dead_letters.push_back(worker->dead_letters());
  }
  return comparison;
}

}  // namespace orbweaver::lab
