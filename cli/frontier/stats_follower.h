// Follows the reports of a cluster's workers in topic `stats`.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "cli/frontier/worker_book.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/model/stats.h"

namespace orbweaver {

// Place: the console of a cluster. Joins no group and commits nothing. Not thread-safe.
class StatsFollower {
 public:
  // `bus` must outlive it.
  explicit StatsFollower(Bus& bus) : bus_(bus) {}

  // Notes the reports that have come since the last call, the first time those of the last two
  // minutes. Messages that are no reports are passed over. Waits at most about `timeout` for each
  // call to the bus. Errors as the bus's; the next call goes on, or begins anew.
  absl::Status Follow(WallTime now, Duration timeout, WorkerBook* book);

 private:
  absl::Status Begin(WallTime now, Duration timeout);

  Bus& bus_;
  std::unique_ptr<OffsetReader> offsets_;
  std::unique_ptr<Consumer> consumer_;
  Offset next_;
};

// The report that a message of the topic holds.
WorkerReport ReportOf(const WorkerStats& stats);

}  // namespace orbweaver
