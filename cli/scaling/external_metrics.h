// Kubernetes' API of external metrics, in the one version that there is.
//
// Place: between the API server, which passes on what autoscalers ask, and the numbers of wanted
// workers. https://github.com/kubernetes/metrics (pkg/apis/external_metrics/v1beta1).
#pragma once

#include <map>
#include <string_view>

#include "cli/scaling/wanted_workers.h"

#include "common/base/clock.h"
#include "common/runtime/admin_message.h"

namespace orbweaver {

// Kinds of which nothing is known are left out.
using WantedByKind = std::map<WorkerKind, int>;

// Answers GET of
//   /apis/external.metrics.k8s.io/v1beta1                                  the list of metrics
//   /apis/external.metrics.k8s.io/v1beta1/namespaces/NAMESPACE/METRIC      the metric's value
//   /wanted                                                                all of them, for KEDA
//   /healthz
// METRIC is orbweaver_wanted_spiders, orbweaver_wanted_strategy_workers or
// orbweaver_wanted_db_workers; which namespace is asked for makes no difference, and labels make
// none. A metric of which nothing is known has no items, whereupon an autoscaler leaves its
// replicas alone.
AdminResponse AnswerMetrics(const AdminRequest& request, const WantedByKind& wanted, WallTime now);

}  // namespace orbweaver
