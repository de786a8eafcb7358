// The db worker, apart from its process: owns the priority queue of its partitions' domains.
//
// Place: stepped by its host (its process, `orbweaver crawl`, the simulator), which hands it store
// and bus. One member of the consumer group on the scoring log; the same partitions of queue and
// feed come with those that it gets. Not thread-safe, and has no thread of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/model/scoring_log.h"
#include "common/store/store.h"
#include "common/worker/log_session.h"
#include "db_worker/metrics.h"
#include "db_worker/options.h"
#include "db_worker/report.h"

namespace orbweaver {

struct DbWorkerSetup {
  DbWorkerOptions options;
  std::string name;  // in markers, for people who read them
  GroupMembership membership;
};

class DbWorkerCore {
 public:
  // Checks the topics and joins the group. The arguments must outlive the core. After a retry error
  // call it again; a fatal error says what to do.
  static absl::StatusOr<std::unique_ptr<DbWorkerCore>> Create(Bus& bus, Store& store,
                                                              const Clock& clock,
                                                              DbWorkerMetrics& metrics,
                                                              DbWorkerSetup setup);
  ~DbWorkerCore();

  // One round: enqueues what the scoring log has, fills the feed up, takes partitions over. Waits
  // for messages at most `max_wait`, and only when nothing else is to be done. Work that takes more
  // than about a second goes on with the next Step: the group hears of the worker in between.
  //   retry   the next Step goes on exactly where this one stood.
  //   fenced  a partition was lost to another worker: destroy this core and make another.
  //   fatal   as the message says; destroy it.
  absl::Status Step(Duration max_wait);

  // Brings what was sent to the store and leaves the group. Idempotent; errors are logged, since
  // whoever comes next makes up for them.
  void Close();

  // A report of each owned partition for the admin server; visits every domain.
  std::vector<PartitionReport> Report() const;
  // Partitions that the group has given to this worker and that are not taken over yet.
  size_t coming() const;
  // Of those, domains that were read so far.
  uint64_t heads_read() const;
  // The step of the work in hand; empty: it waits for work.
  std::string_view step() const;
  // Errors: NotFound when the domain is not of an owned partition, or not known.
  absl::StatusOr<DomainReport> Inspect(std::string_view domain);
  // Stops or resumes a partition's feed; false when it is not owned. Ends with the ownership.
  bool SetPaused(PartitionId partition, bool paused);

 private:
  struct State;
  explicit DbWorkerCore(std::unique_ptr<State> state);

  const std::unique_ptr<State> state_;
};

}  // namespace orbweaver
