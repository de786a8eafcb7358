// Looks at a crawl every few seconds, whether anybody else does or not: its workers, curves and
// alerts.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "cli/frontier/alerts.h"
#include "cli/frontier/history.h"
#include "cli/frontier/log_lags.h"
#include "cli/frontier/stage_shares.h"
#include "cli/frontier/worker_book.h"

#include "common/base/clock.h"
#include "common/runtime/stop_request.h"

namespace orbweaver {

// Of a crawl at rest without the functions.
struct SampledCrawl {
  // Notes the reports that have come since the last call.
  std::function<absl::Status(WallTime now, WorkerBook* book)> note_workers = {};
  std::function<absl::StatusOr<LogLags>()> read_lags = {};
  bool is_cluster = false;
  // Keeps the curves over a restart; empty: memory alone does.
  std::filesystem::path file = {};
};

// A worker, and its use of a processor in the last half a minute: 1 is one core.
struct SampledWorker {
  WorkerReport report;
  std::optional<double> cpu_cores;
  // Those that it plays.
  std::vector<StageShares> stages;
};

// Place: behind the console's API, on a thread of its own that sleeps most of the time. Thread-safe
// from Start on; the functions of SampledCrawl are called on that thread only. Of a crawl at rest
// it is never started, and knows the curves of the file.
class CrawlSampler {
 public:
  // Reads the file; one that is damaged is told in the log and counts as none. `clock` must outlive
  // it.
  CrawlSampler(SampledCrawl crawl, const Clock& clock);
  // Stops.
  ~CrawlSampler();

  void Start();
  // Ends the thread and keeps the curves. Idempotent.
  void Stop();

  // One look. Trouble is told once in the log, and by trouble().
  void Sample() ABSL_LOCKS_EXCLUDED(mutex_);

  // The last look's, of the workers: OK before the first.
  absl::Status trouble() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Those that have not gone, by role and id.
  std::vector<SampledWorker> Workers() const ABSL_LOCKS_EXCLUDED(mutex_);
  // All three, over the last quarter of a minute.
  std::vector<StageShares> Stages() const ABSL_LOCKS_EXCLUDED(mutex_);
  // As of the last look; critical ones first.
  std::vector<Alert> Alerts() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Of a range of kHistoryRanges. Up to now; of a crawl at rest, to its last sample.
  std::vector<HistoryPoint> Points(size_t range) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Run();
  CurveValues ValuesNow(WallTime now, const absl::StatusOr<LogLags>& lags) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Keep() ABSL_LOCKS_EXCLUDED(mutex_);

  const SampledCrawl crawl_;
  const Clock& clock_;
  StopRequest stop_;
  std::thread thread_;
  SteadyTime kept_at_{};
  bool is_troubled_ = false;

  mutable absl::Mutex mutex_;
  absl::Status trouble_ ABSL_GUARDED_BY(mutex_);
  WorkerBook book_ ABSL_GUARDED_BY(mutex_);
  History history_ ABSL_GUARDED_BY(mutex_);
  AlertBoard alerts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace orbweaver
