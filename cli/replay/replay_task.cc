#include "cli/replay/replay_task.h"

#include <utility>

#include "common/base/status.h"
#include "common/bus/topics.h"

namespace orbweaver {

StrategyWorkerOptions ReplayTask::WorkerOptions() const {
  StrategyWorkerOptions worker = options.strategy_worker;
  // A dead letter is as good a decision as another one.
  worker.on_strategy_error = OnStrategyError::kDeadLetter;
  worker.max_retry_after =
      std::chrono::floor<std::chrono::milliseconds>(options.spider.politeness.back_off.most);
  return worker;
}

absl::StatusOr<std::unique_ptr<lab::ReplayWorker>> ReplayTask::NewWorker(Strategy& strategy) const {
  ASSIGN_OR_RETURN(CrawlScope scope, CrawlScope::Make(options.spider.scope, suffixes));
  const auto partitions = recording.manifest().Partitions(kSpiderLogTopic);
  StrategyWorkerOptions worker = WorkerOptions();
  // The states of a small batch stay in the CPU's caches.
  worker.batch_events = 300;
  return lab::ReplayWorker::Create(
      {.strategy = strategy,
       .suffixes = suffixes,
       .partitions = partitions.empty() ? 1 : partitions.back().value() + 1,
       .options = worker,
       .states = options.states,
       .urls = options.spider.url,
       .scope = std::move(scope)});
}

uint64_t ReplayTask::Events() const {
  uint64_t events = 0;
  for (const lab::RecordedFile& file : recording.manifest().files) {
    if (file.range.topic == kSpiderLogTopic) events += file.records;
  }
  return events;
}

}  // namespace orbweaver
