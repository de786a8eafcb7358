// The metrics of Prometheus' own client libraries for every process: CPU, memory, open files,
// start.
#pragma once

#include "common/metrics/metric_registry.h"

namespace orbweaver {

// Adds them to `registry`, under the names that dashboards know (process_cpu_seconds_total, …).
void AddProcessMetrics(MetricRegistry& registry);

}  // namespace orbweaver
