// The db worker's roles, on whatever bus and store: what its own process and `orbweaver crawl` run,
// each on a thread.
#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "common/bus/bus.h"
#include "common/runtime/step_loop.h"
#include "common/store/store.h"
#include "db_worker/admin/queue_admin.h"
#include "db_worker/db_worker_core.h"
#include "db_worker/pages/pages_core.h"

namespace orbweaver {

// The objects that outlive a worker that is fenced and made anew.
struct QueueWorkerParts {
  Bus& bus;
  Store& store;
  DbWorkerMetrics& metrics;
  QueueAdmin& admin;
  DbWorkerSetup setup;
  // Of a step for messages. A stop is seen this much later, and an operator's action begun.
  Duration wait = std::chrono::milliseconds(200);
};

// Enqueue and dequeue, as a member of their group. Errors as Stepped::Step's; retry ones when bus
// or store are away. `parts` are copied; what they refer to must outlive it.
absl::StatusOr<std::unique_ptr<Stepped>> NewQueueWorker(const QueueWorkerParts& parts);

struct PagesWorkerParts {
  Bus& bus;
  Store& store;
  PagesMetrics& metrics;
  PagesSetup setup;
};

// The same for the role `pages`.
absl::StatusOr<std::unique_ptr<Stepped>> NewPagesWorker(const PagesWorkerParts& parts);

}  // namespace orbweaver
