#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "db_worker/admin/queue_admin.h"

namespace orbweaver {

// Tells from outside whether a crawl has anything to do now.
//
// A log's offset is committed only when what it led to is in the next log or in the store. So when
// all logs are read to their ends, and none has grown between two such looks, there is no place
// where anything could be on its way; and a look at the queue that was taken after the first of
// them shows all there is.
//
// Place: CrawlWatch asks it every quarter of a second. Not thread-safe.
class IdleDetector {
 public:
  explicit IdleDetector(size_t partitions) : partitions_(partitions) {}

  struct Sample {
    SteadyTime at;  // when the logs were looked at
    // The ends of all logs, in a fixed order; nullopt when one was not read up to there.
    std::optional<std::vector<Offset>> read_ends;
    uint64_t held = 0;  // requests that the spider has in hand
    // The newest that there is; maybe older than the rest.
    QueueSnapshot queue;
  };
  // When the first request that is left may leave, while nothing is going on: WallTime::max() when
  // none is left. nullopt: something is going on, or it is not known yet that nothing is.
  std::optional<WallTime> IdleUntil(Sample sample);

 private:
  const size_t partitions_;
  // As of the first of the looks since when nothing has moved.
  std::optional<std::vector<Offset>> quiet_ends_;
  SteadyTime quiet_since_;
};

// When the first of the queue's requests may leave: maybe in the past; WallTime::max() when it is
// empty.
WallTime NextDue(std::span<const PartitionReport> queue);

}  // namespace orbweaver
