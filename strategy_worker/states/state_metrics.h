// The metrics of the cache of link states.
#pragma once

#include "common/metrics/metric_registry.h"

namespace orbweaver {

// Registered once a process; the StateStores of a process may share it. Thread-safe.
struct StateMetrics {
  explicit StateMetrics(MetricRegistry& registry);

  Counter& hits;        // domains asked for that were there, with all that was asked for
  Counter& misses;      // the others
  Counter& rows_read;   // rows of the store
  Counter& rows_saved;  // rows that would have been read without the cache
  Counter& evictions;   // of domains, and of shards of large ones
  Gauge& bytes;
};

}  // namespace orbweaver
