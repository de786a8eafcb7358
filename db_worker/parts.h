// The objects that enqueue, dequeue and take-over share.
#pragma once

#include <algorithm>
#include <string_view>

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/metrics/stage_clock.h"
#include "common/protocol/owned_log.h"
#include "common/store/store.h"
#include "common/worker/log_session.h"
#include "db_worker/metrics.h"
#include "db_worker/options.h"
#include "db_worker/queue/chunk_cache.h"
#include "db_worker/queue/partition.h"
#include "db_worker/steady_wall.h"

namespace orbweaver {

// References that outlive all who have them; made and owned by DbWorkerCore.
struct WorkerParts {
  Bus& bus;
  Store& store;
  LogSession& scoring_log;
  OwnedLog& feed;
  OffsetReader& offsets;
  const SteadyWall& time;
  const DbWorkerOptions& options;
  DbWorkerMetrics& metrics;
  ChunkCache& chunks;
  Partitions& partitions;
  const int partition_count;  // of each topic of the loop
  StageClock& stage;

  // While it lives this worker waits for the bus; the store's calls count as waits by themselves.
  StageScope Waits() const { return StageScope(stage, StageState::kWaitsForOutput); }
  Duration timeout() const { return options.call_timeout; }
  // The group has to hear of this worker: work stops, and the next Advance does the rest.
  bool IsDue() const { return scoring_log.IsDue(); }
  // Of one partition's index; shared out evenly.
  size_t IndexBytes() const {
    return static_cast<size_t>(options.index_bytes) / std::max<size_t>(1, partitions.size());
  }
};

// To be asked when a chunk that a head names is missing, before ReportDamage: a worker that was
// replaced reads what its successor has erased. Fenced then.
absl::Status CheckOwnerOf(const WorkerParts& parts, const Partition& partition);

// For a head that its owner has read. Fenced when a later owner put it; fatal when none came later,
// as an owner by a log that stood here before put it, and puts of this one would not show.
absl::Status CheckHeadVersion(const WorkerParts& parts, const Partition& partition,
                              std::string_view domain, Version version);

// A chunk that a head names is missing (`bytes` is empty) or is none: logged, counted, and kept in
// dead-letter. Its domain goes on with the next one.
void ReportDamage(const WorkerParts& parts, const Partition& partition, DomainId domain,
                  std::string_view column, std::string_view bytes, const absl::Status& cause);

}  // namespace orbweaver
