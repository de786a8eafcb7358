#include "lab/replay/replay_worker.h"

#include <string>
#include <utility>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/protocol/owned_log.h"
#include "common/protocol/topic_record.h"
#include "common/url/partition.h"
#include "strategy_worker/states/packed_state_store.h"

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
  const TopicSpec specs[] = {
      {.name = std::string(kSpiderLogTopic), .partitions = setup.partitions},
      {.name = std::string(kScoringLogTopic), .partitions = setup.partitions},
      {.name = std::string(kSpiderFeedTopic), .partitions = setup.partitions},
      {.name = std::string(kDeadLetterTopic), .partitions = 1}};
  RETURN_IF_ERROR(bus_.EnsureTopics(specs, kLong).status());
  const TopicRecord topics{.topic_epoch = 1, .partitions = setup.partitions};
  RETURN_IF_ERROR(SaveTopicRecord(store_, topics, kLong));
  ASSIGN_OR_RETURN(producer_, bus_.NewProducer({.max_bytes = size_t{1} << 30}, [](const Ack&) {}));
  const GroupMembership membership{.member = kName};
  const StrategyWorkerOptions options = WithinSession(setup.options, membership.session_timeout);
  ASSIGN_OR_RETURN(auto spider_log, NewSpiderLogSession(bus_, clock_, membership, options));
  ASSIGN_OR_RETURN(
      auto scoring_log,
      OwnedLog::Create(bus_, clock_, {.topic = std::string(kScoringLogTopic), .owner = kName}));
  core_ = std::make_unique<StrategyCore>(StrategyCoreParts{
      .spider_log = std::move(spider_log),
      .scoring_log = std::move(scoring_log),
      .states = std::make_unique<PackedStateStore>(store_, clock_, setup.states, state_metrics_),
      .store = store_,
      .strategy = setup.strategy,
      .background = write_,
      .clock = clock_,
      .suffixes = setup.suffixes,
      .metrics = metrics_,
      .topics = topics,
      .urls = setup.urls,
      .scope = setup.scope,
      .options = options});
  return core_->Start();
}

absl::Status ReplayWorker::Append(const Message& event) {
  const auto partition = static_cast<size_t>(event.partition.value());
  if (partition >= ends_.size() || event.offset != ends_[partition]) {
    return FatalError(
        "replay: {} partition {} goes on at offset {}: what stands before it is missing, and so is "
        "what the worker knew of it",
        kSpiderLogTopic, event.partition, event.offset);
  }
  ++ends_[partition];
  // A record gets the time of the broker's clock.
  if (event.time > clock_.Wall()) clock_.JumpWall(event.time - clock_.Wall());
  RETURN_IF_ERROR(producer_->Send({.topic = kSpiderLogTopic,
                                   .partition = event.partition,
                                   .key = event.key,
                                   .value = event.value,
                                   .headers = event.headers},
                                  0));
  return producer_->Flush(kLong);
}

absl::Status ReplayWorker::Apply() {
  // A commit takes a step behind the one that applied.
  for (int idle = 0; idle < 3;) {
    ASSIGN_OR_RETURN(const bool worked, core_->Step(Duration::zero()));
    idle = worked ? 0 : idle + 1;
  }
  return CutLogs(kSpiderLogTopic);
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
  return CutLogs(kScoringLogTopic);
}

absl::Status ReplayWorker::CutLogs(std::string_view topic) {
  for (size_t i = 0; i < ends_.size(); ++i) {
    const PartitionId partition(static_cast<int32_t>(i));
    Offset end;
    {
      absl::MutexLock lock(&broker_.mutex);
      ASSIGN_OR_RETURN(PartitionLog* const log, broker_.log().Find(topic, partition));
      end = log->bounds().end;
    }
    // The last record stays: a worker knows its log by it.
    if (end > Offset(0)) RETURN_IF_ERROR(broker_.CutLog(topic, partition, Offset(end.value() - 1)));
  }
  return absl::OkStatus();
}

uint64_t ReplayWorker::dead_letters() {
  absl::MutexLock lock(&broker_.mutex);
  const auto log = broker_.log().Find(kDeadLetterTopic, PartitionId(0));
  return log.ok() ? static_cast<uint64_t>((*log)->bounds().end.value()) : 0;
}

}  // namespace orbweaver::lab
