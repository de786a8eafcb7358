#include "strategy_worker/states/state_metrics.h"

namespace orbweaver {

StateMetrics::StateMetrics(MetricRegistry& registry)
    : hits(registry.AddCounter("orbweaver_states_hits_total",
                               "Domains that a batch needed and that were in memory")),
      misses(registry.AddCounter("orbweaver_states_misses_total",
                                 "Domains that a batch needed and that had to be read")),
      rows_read(registry.AddCounter("orbweaver_states_rows_read_total",
                                    "Rows of link states and domain records that were read")),
      rows_saved(registry.AddCounter("orbweaver_states_rows_saved_total",
                                     "Rows that were not read because they were in memory")),
      evictions(registry.AddCounter("orbweaver_states_evictions_total",
                                    "Domains, and shards of large ones, that left the memory")),
      bytes(registry.AddGauge("orbweaver_states_cache_bytes",
                              "Memory that link states and domain records take")) {}

}  // namespace orbweaver
