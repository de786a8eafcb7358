// Prometheus' conventions for names (prometheus.io/docs/practices/naming), checked when a metric is
// registered rather than noticed on a dashboard.
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace orbweaver {

enum class MetricKind { kCounter, kGauge, kHistogram };

// A name of ours begins with `orbweaver_` (or `process_`, for what Prometheus' own clients call
// so), is in snake_case, ends in `_total` exactly when it is a counter, and counts in base units:
// seconds, bytes, ratios. The error says what is wrong and what to write instead.
absl::Status CheckMetricName(MetricKind kind, std::string_view name);

// snake_case, and not `le`, which histograms use.
absl::Status CheckLabelName(std::string_view name);

}  // namespace orbweaver
