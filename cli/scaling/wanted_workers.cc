#include "cli/scaling/wanted_workers.h"

#include <algorithm>
#include <cmath>

#include "cli/frontier/stage_shares.h"

namespace orbweaver {
namespace {

constexpr Duration kWindow = std::chrono::minutes(1);
// A worker that has not reported for so long was stopped, and its share is with the others.
constexpr std::chrono::milliseconds kFresh = std::chrono::seconds(30);

std::string_view RoleOf(WorkerKind kind) {
  switch (kind) {
    case WorkerKind::kSpider:
      return "spider";
    case WorkerKind::kStrategyWorker:
      return "strategy-worker";
    case WorkerKind::kDbWorker:
      return "db-worker";
  }
  return "";
}

// A mean of samples is seldom all of it.
constexpr double kNoFetchLeft = 0.9;

std::optional<double> SpiderInUse(const WorkerBook& book, const WorkerReport& spider) {
  const auto fetching = book.Mean(spider, Vital::kFetching, kWindow);
  const auto most = spider.vitals[Vital::kMostFetches];
  const auto cores = book.Rate(spider, Vital::kCpuSeconds, kWindow);
  const auto threads = spider.vitals[Vital::kSpiderThreads];
  if (!fetching || !cores || most.value_or(0) <= 0 || threads.value_or(0) <= 0) {
    return std::nullopt;
  }
  return std::min(1.0, std::max(*fetching / *most, *cores / *threads));
}

std::optional<double> InUse(const WorkerBook& book, WorkerKind kind, const WorkerReport& worker) {
  if (kind == WorkerKind::kSpider) return SpiderInUse(book, worker);
  const WorkerReport* const one[] = {&worker};
  for (const StageShares& stage : SharesOf(book, one, kWindow)) {
    if (stage.role == worker.role) return stage.busy;
  }
  return std::nullopt;
}

}  // namespace

int WantedWorkers(const KindLoad& load, const ScalingRule& rule) {
  const auto whole = [](double workers) { return static_cast<int>(std::ceil(workers - 1e-9)); };
  const bool is_behind = load.lag > rule.lag;
  const double factor =
      is_behind ? 1 + std::chrono::duration<double>(load.lag) / rule.catch_up : 1.0;
  const int least = load.has_more ? whole(load.in_use * factor / rule.busy) : 0;
  const int most = is_behind || !load.is_complete ? load.workers : whole(load.in_use / rule.idle);
  const int wanted = least > load.workers ? least : std::min(load.workers, std::max(least, most));
  return std::max(1, wanted);
}

std::optional<KindLoad> LoadOf(const WorkerBook& book, WorkerKind kind, WallTime now) {
  KindLoad load;
  double ready = 0;
  bool has_fetches_left = true;
  for (const WorkerReport* const worker : book.Live(now)) {
    if (now - worker->reported_at > kFresh) continue;
    ready += worker->vitals[Vital::kReadyDomains].value_or(0);
    if (worker->role != RoleOf(kind)) continue;
    // A db worker with the role `pages` alone has no queue.
    if (kind == WorkerKind::kDbWorker && !worker->vitals[Vital::kQueuePartitions]) continue;
    ++load.workers;
    const auto in_use = InUse(book, kind, *worker);
    const double fetching = book.Mean(*worker, Vital::kFetching, kWindow).value_or(0);
    has_fetches_left &=
        fetching < kNoFetchLeft * worker->vitals[Vital::kMostFetches].value_or(fetching + 1);
    load.is_complete &= in_use.has_value();
    load.in_use += in_use.value_or(0);
    const double behind = std::max(worker->vitals[Vital::kStrategyLagSeconds].value_or(0),
                                   worker->vitals[Vital::kQueueLagSeconds].value_or(0));
    load.lag = std::max(
        load.lag, std::chrono::duration_cast<Duration>(std::chrono::duration<double>(behind)));
  }
  if (load.workers == 0) return std::nullopt;
  if (kind == WorkerKind::kSpider) load.has_more = ready > 0 || !has_fetches_left;
  return load;
}

}  // namespace orbweaver
