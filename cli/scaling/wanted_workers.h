// How many workers of a kind a crawl can use.
//
// Place: behind `orbweaver metrics-api`, from which autoscalers take it. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/frontier/worker_book.h"
#include "cli/scaling_options.h"

#include "common/base/clock.h"

namespace orbweaver {

// How the workers of one kind are doing.
struct KindLoad {
  int workers = 0;
  // The shares of each that are in use, from 0 to 1, added up.
  double in_use = 0;
  // The oldest unread entry of any.
  Duration lag{};
  // Whether one more would find something to do.
  bool has_more = true;
  // Of a worker that has only begun nothing is known yet.
  bool is_complete = true;
};

// At least 1, by this formula, with f = 1 + lag / catch_up where there is a backlog and else 1:
//
//   least = ceil(in_use × f / busy)    unless nothing more could be done
//   most  = ceil(in_use / idle)        unless there is a backlog, or something is unknown
//   wanted = `workers`, raised to least, else lowered to most
//
// So a kind without lag whose workers are busy is never made smaller.
int WantedWorkers(const KindLoad& load, const ScalingRule& rule);

enum class WorkerKind : uint8_t { kSpider, kStrategyWorker, kDbWorker };
inline constexpr WorkerKind kWorkerKinds[] = {WorkerKind::kSpider, WorkerKind::kStrategyWorker,
                                              WorkerKind::kDbWorker};

// From the reports of the last minute. Nothing: no worker of the kind has reported of late.
//
// A strategy or db worker is in use for the share of its time that it is busy. A spider is for the
// more of two: its fetches under way, of those that it may have at once, and its cores, of those
// that it has threads for. One more would find something to do while domains are ready in the
// queue, or some spider has no fetch left for those that it holds.
std::optional<KindLoad> LoadOf(const WorkerBook& book, WorkerKind kind, WallTime now);

}  // namespace orbweaver
