// Shows the queue on the admin server, and carries operators' actions out.
//
// Place: in main, beside the core. The core belongs to one thread and the admin server has another:
// actions are left here until the core's thread comes by between two steps, and what is shown is
// what it last left here.
//
//   GET  /status                          member `queue`: a report for each partition
//   POST /actions/inspect domain=NAME     what is known of a domain
//   POST /actions/pause partition=N       stops the partition's feed while this worker owns it
//   POST /actions/resume partition=N
//
// NAME is a domain, a host or a URL; it stands for its registered domain, which the answer names.
// Orders about a domain (block, purge) come by the spider log: `orbweaver block`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

#include "common/base/clock.h"
#include "common/metrics/metric_registry.h"
#include "common/runtime/admin_site.h"
#include "common/url/domain.h"
#include "common/url/options.h"
#include "db_worker/admin/queue_gauges.h"
#include "db_worker/db_worker_core.h"

namespace orbweaver {

// A report of all owned partitions at one moment.
struct QueueSnapshot {
  SteadyTime at{};
  std::vector<PartitionReport> partitions;
};

// Thread-safe as said at each method. Its conditions make a process ready when the core is in its
// group and has taken over all that it was given.
class QueueAdmin {
 public:
  // `urls` and `suffixes` say which domain a name stands for. An action that finds no core within
  // `patience` is refused, to be tried again. All must outlive this.
  QueueAdmin(AdminSite& site, MetricRegistry& metrics, const Clock& clock, const UrlOptions& urls,
             const PublicSuffixes& suffixes, Duration patience = std::chrono::seconds(2));

  // By the core's thread, between two steps: does the action that waits, and every few seconds
  // takes a snapshot of all partitions. An action may wait for the store, as a step may.
  void Serve(DbWorkerCore& core) ABSL_LOCKS_EXCLUDED(mutex_);

  // By the core's thread: there is no core for now.
  void Leave() ABSL_LOCKS_EXCLUDED(mutex_);

  // The newest; of no partition when there is no core.
  QueueSnapshot Snapshot() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return snapshot_;
  }

 private:
  using Act = std::function<absl::StatusOr<std::string>(DbWorkerCore&)>;
  struct Asked {
    const Act& act;
    absl::StatusOr<std::string> answer;
    bool begun = false;
    bool done = false;
  };

  void AddInspect(AdminSite& site, const UrlOptions& urls, const PublicSuffixes& suffixes);
  void AddPartitionActions(AdminSite& site);
  void AddAction(AdminSite& site, std::string name, std::string doc,
                 std::function<absl::StatusOr<Act>(const FormParams&)> make);
  absl::StatusOr<std::string> Ask(const Act& act) ABSL_LOCKS_EXCLUDED(mutex_);
  std::string WhyNotReady() const ABSL_LOCKS_EXCLUDED(mutex_);
  void WriteStatus(JsonWriter& json) const ABSL_LOCKS_EXCLUDED(mutex_);

  const Clock& clock_;
  const Duration patience_;
  QueueGauges gauges_;       // the core's thread
  SteadyTime snapshot_due_;  // the same

  mutable absl::Mutex mutex_;
  bool has_core_ ABSL_GUARDED_BY(mutex_) = false;
  size_t coming_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t heads_read_ ABSL_GUARDED_BY(mutex_) = 0;  // of those that are coming
  std::string_view step_ ABSL_GUARDED_BY(mutex_);    // of the work in hand
  QueueSnapshot snapshot_ ABSL_GUARDED_BY(mutex_);
  WallTime reported_at_ ABSL_GUARDED_BY(mutex_);
  Asked* asked_ ABSL_GUARDED_BY(mutex_) = nullptr;

  std::vector<AdminSite::Registration> registrations_;  // go first
};

}  // namespace orbweaver
