#include "cli/frontier/bottleneck.h"

#include <algorithm>

#include "cli/amounts.h"
#include "fmt/format.h"

#include "common/bus/topics.h"

namespace orbweaver {
namespace {

// A stage is behind when what it has not read would take it longer than this, and is more than a
// few batches.
constexpr double kBehindSeconds = 5;
constexpr int64_t kBehindMessages = 2000;

const ReadTopic* Find(const FrontierStatus& status, std::string_view group) {
  const auto found = std::ranges::find(status.reads, group, &ReadTopic::group);
  return found == status.reads.end() ? nullptr : &*found;
}

int64_t LagOf(const FrontierStatus& status, std::string_view group) {
  const ReadTopic* const read = Find(status, group);
  return read == nullptr ? 0 : read->lag();
}

bool IsBehind(const FrontierStatus& before, const FrontierStatus& now, std::string_view group) {
  const ReadTopic* const read = Find(now, group);
  if (read == nullptr || read->lag() < kBehindMessages) return false;
  return static_cast<double>(read->lag()) > RatesOf(before, now, *read).out * kBehindSeconds;
}

std::string Domains(uint64_t count) { return Count(count, "domain"); }

// Of a queue in which no domain may be asked now.
Diagnosis NobodyIsReady(const PartitionReport& queue) {
  const uint64_t busy = queue.paced + queue.blocked;
  if (busy == 0) {
    return {Bottleneck::kLater,
            fmt::format("all {} that are left are for later: the crawl waits for their time",
                        Count(queue.delayed, "request"))};
  }
  if (queue.paced == 0) {
    return {Bottleneck::kBlocks,
            fmt::format("all {} with requests are blocked, by an operator, Retry-After or answers "
                        "429 and 503: more machines would not help",
                        Domains(queue.blocked))};
  }
  return {
      Bottleneck::kPoliteness,
      fmt::format("{} of {} with requests wait for their delay{}: more machines would not "
                  "help, more domains would",
                  Count(queue.paced), Domains(busy),
                  queue.blocked == 0 ? "" : fmt::format(", {} are blocked", Count(queue.blocked)))};
}

}  // namespace

std::string_view BottleneckName(Bottleneck bottleneck) {
  switch (bottleneck) {
    case Bottleneck::kNobody:
      return "nobody";
    case Bottleneck::kNothing:
      return "nothing";
    case Bottleneck::kLater:
      return "later";
    case Bottleneck::kPoliteness:
      return "politeness";
    case Bottleneck::kBlocks:
      return "blocks";
    case Bottleneck::kStrategyWorkers:
      return "strategy-workers";
    case Bottleneck::kDbWorkers:
      return "db-workers";
    case Bottleneck::kSpiders:
      return "spiders";
    case Bottleneck::kQueue:
      return "queue";
    case Bottleneck::kUnclear:
      return "unclear";
    case Bottleneck::kRest:
      return "rest";
  }
  return "unclear";
}

Diagnosis Diagnose(const FrontierStatus& before, const FrontierStatus& now) {
  for (const ReadTopic& read : now.reads) {
    if (!now.knows_members || read.members > 0 || read.lag() == 0) continue;
    return {
        Bottleneck::kNobody,
        fmt::format("no worker of the group {} runs, with {} unread in {}: start one", read.group,
                    Count(static_cast<uint64_t>(read.lag()), "message"), read.topic)};
  }
  const PartitionReport queue = SumOf(now.queue);
  const int64_t fed = LagOf(now, kSpiderGroup);
  if (IsBehind(before, now, kStrategyWorkerGroup)) {
    return {Bottleneck::kStrategyWorkers,
            fmt::format("strategy workers are {} behind the spiders: more of them, or a faster "
                        "strategy or store, would help",
                        Count(static_cast<uint64_t>(LagOf(now, kStrategyWorkerGroup)), "message"))};
  }
  if (IsBehind(before, now, kDbWorkerGroup)) {
    return {Bottleneck::kDbWorkers,
            fmt::format("db workers are {} behind the strategy workers: more of them, or a faster "
                        "store, would help",
                        Count(static_cast<uint64_t>(LagOf(now, kDbWorkerGroup)), "message"))};
  }
  if (IsBehind(before, now, kSpiderGroup)) {
    return {Bottleneck::kSpiders,
            fmt::format("{} wait in the feed: more spiders or threads would help, unless the "
                        "fetched sites are slow",
                        Count(static_cast<uint64_t>(fed), "request"))};
  }
  const uint64_t left = WaitingIn(queue) + queue.delayed;
  const bool is_moving =
      fed > 0 || LagOf(now, kStrategyWorkerGroup) > 0 || LagOf(now, kDbWorkerGroup) > 0;
  if (left == 0 && !is_moving) {
    return {Bottleneck::kNothing, "nothing is left: the queue and the logs are empty"};
  }
  if (left > 0 && queue.ready == 0) return NobodyIsReady(queue);
  if (queue.ready > 0 && !is_moving) {
    return {Bottleneck::kQueue,
            fmt::format("{} are ready and nothing is in the feed: the queue is paused, or no db "
                        "worker runs",
                        Domains(queue.ready))};
  }
  return {Bottleneck::kUnclear, "no stage stands out"};
}

Diagnosis DiagnoseAtRest(const FrontierStatus& now) {
  const PartitionReport queue = SumOf(now.queue);
  const uint64_t left = WaitingIn(queue) + queue.delayed +
                        static_cast<uint64_t>(std::max<int64_t>(LagOf(now, kSpiderGroup), 0));
  if (left == 0) return {Bottleneck::kRest, "the crawl does not run, and nothing is left to fetch"};
  return {Bottleneck::kRest,
          fmt::format("the crawl does not run: `orbweaver crawl` on this folder goes on with {}",
                      Count(left, "request"))};
}

}  // namespace orbweaver
