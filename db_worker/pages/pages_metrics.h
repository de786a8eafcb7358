// The metrics of the role `pages`.
#pragma once

#include "common/metrics/metric_registry.h"

namespace orbweaver {

// Place: one a worker process. Thread-safe.
struct PagesMetrics {
  // `registry` must outlive it.
  explicit PagesMetrics(MetricRegistry& registry);

  Counter& messages;
  Counter& stored;        // events that changed a page's row
  Counter& replayed;      // events that a row had already
  Counter& changed;       // pages whose content is another than before
  Counter& stored_bytes;  // of bodies, compressed
  Counter& poison;        // messages that cannot be read, passed over
  Counter& lost;          // messages that retention deleted before they were read
};

}  // namespace orbweaver
