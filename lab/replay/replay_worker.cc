#include "lab/replay/replay_worker.h"

#include <string>
#include <utility>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/url/partition.h"
#include "lab/replay/fresh_logs.h"
#include "strategy_worker/worker.h"

namespace orbweaver::lab {
namespace {

constexpr Duration kLong = std::chrono::hours(1);  // of virtual time
constexpr char kName[] = "replay";

}  // namespace

absl::StatusOr<std::unique_ptr<ReplayWorker>> ReplayWorker::Create(const ReplaySetup& setup) {
  if (!IsPartitionCount(setup.partitions)) {
    return FatalError("replay: {} cannot have {} partitions", kSpiderLogTopic, setup.partitions);
  }
  std::unique_ptr<ReplayWorker> worker(new ReplayWorker(setup.partitions));
  RETURN_IF_ERROR(worker->Start(setup));
  return worker;
}

absl::Status ReplayWorker::Start(const ReplaySetup& setup) {
  RETURN_IF_ERROR(MakeLogs(bus_, store_, setup.partitions, kLong));
  ASSIGN_OR_RETURN(core_, StartStrategyCore({.bus = bus_,
                                             .store = store_,
                                             .strategy = setup.strategy,
                                             .suffixes = setup.suffixes,
                                             .metrics = metrics_,
                                             .state_metrics = state_metrics_,
                                             .options = setup.options,
                                             .states = setup.states,
                                             .urls = setup.urls,
                                             .scope = setup.scope,
                                             .id = kName,
                                             .membership = {.member = kName}},
                                            clock_, write_));
  return absl::OkStatus();
}

absl::Status ReplayWorker::Append(std::span<const Message> events) {
  for (const Message& event : events) {
    const auto partition = static_cast<size_t>(event.partition.value());
    if (partition >= ends_.size() || event.offset != ends_[partition]) {
      return FatalError(
          "replay: {} partition {} goes on at offset {}: what stands before it is missing, and so "
          "is what the worker knew of it",
          kSpiderLogTopic, event.partition, event.offset);
    }
    ++ends_[partition];
    // A record gets the time of the broker's clock.
    if (event.time > clock_.Wall()) clock_.JumpWall(event.time - clock_.Wall());
    RETURN_IF_ERROR(broker_.Append({.topic = kSpiderLogTopic,
                                    .partition = event.partition,
                                    .key = event.key,
                                    .value = event.value,
                                    .headers = event.headers},
                                   RecordBytes::kBorrowed));
  }
  return absl::OkStatus();
}

absl::Status ReplayWorker::Decide(std::span<const Message> events) {
  RETURN_IF_ERROR(Append(events));
  // A commit takes a step behind the one that applied.
  for (int idle = 0; idle < 3;) {
    ASSIGN_OR_RETURN(const bool worked, core_->Step(Duration::zero()));
    idle = worked ? 0 : idle + 1;
  }
  return CutLogs(kSpiderLogTopic, /*kept=*/0);
}

absl::Status ReplayWorker::TakeScoringLog(
    absl::FunctionRef<absl::Status(PartitionId, Offset, std::string_view value)> visit) {
  for (size_t i = 0; i < ends_.size(); ++i) {
    const PartitionId partition(static_cast<int32_t>(i));
    absl::MutexLock lock(&broker_.mutex);
    ASSIGN_OR_RETURN(PartitionLog* const log, broker_.log().Find(kScoringLogTopic, partition));
    for (; taken_[i] < log->bounds().end; ++taken_[i]) {
      RETURN_IF_ERROR(visit(partition, taken_[i], log->At(taken_[i])->value));
    }
  }
  // A worker knows its own log by the last record.
  return CutLogs(kScoringLogTopic, /*kept=*/1);
}

absl::Status ReplayWorker::CutLogs(std::string_view topic, int64_t kept) {
  for (size_t i = 0; i < ends_.size(); ++i) {
    const PartitionId partition(static_cast<int32_t>(i));
    Offset end;
    {
      absl::MutexLock lock(&broker_.mutex);
      ASSIGN_OR_RETURN(PartitionLog* const log, broker_.log().Find(topic, partition));
      end = log->bounds().end;
    }
    RETURN_IF_ERROR(broker_.CutLog(topic, partition, Offset(end.value() - kept)));
  }
  return absl::OkStatus();
}

uint64_t ReplayWorker::dead_letters() {
  absl::MutexLock lock(&broker_.mutex);
  const auto log = broker_.log().Find(kDeadLetterTopic, PartitionId(0));
  return log.ok() ? static_cast<uint64_t>((*log)->bounds().end.value()) : 0;
}

}  // namespace orbweaver::lab
