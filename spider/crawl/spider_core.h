// The spider's middle: joins feed, requests, lanes and log, one step after the other.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/bus/bus.h"
#include "common/runtime/step_loop.h"
#include "spider/crawl/crawl_metrics.h"
#include "spider/crawl/crawl_options.h"
#include "spider/crawl/lanes.h"
#include "spider/crawl/request_flow.h"
#include "spider/feed/feed_reader.h"
#include "spider/publish/failure_file.h"
#include "spider/publish/log_sender.h"

namespace orbweaver {

struct SpiderCoreParts {
  Bus& bus;
  const Clock& clock;
  const PublicSuffixes& suffixes;
  CrawlMetrics& metrics;
  std::unique_ptr<Lanes> lanes;
  std::unique_ptr<FailureFile> failures;  // null: none are written
  int partitions = 0;                     // of feed and spider log
  GroupMembership membership;
  CrawlOptions options;
  RequestFlowOptions flow;
};

// An offset of the feed is finished when its request's outcome is acked in the spider log, and not
// before. A partition that goes takes its requests along: what has no outcome yet is fetched by
// whoever has it next.
//
// Place: stepped by the process's main thread, by tests, by the simulator. Lives as long as the
// process and joins its group anew after a fence (Leave, Join): so it never forgets whom it has
// just asked. Not thread-safe but for WriteStatus.
class SpiderCore : private FeedListener {
 public:
  // The objects in `parts` must outlive this.
  explicit SpiderCore(SpiderCoreParts parts);
  ~SpiderCore() override;

  // Joins the spiders' group; it must not be in it.
  absl::Status Join();

  // Does what is due; waits at most `wait` for something to do. FencedError: Leave, then Join.
  // Fatal: going on would be wrong. While the bus is away it goes on with what it has.
  absl::Status Step(Duration wait);

  // Hands back what waits, waits for what is being fetched (at most drain_timeout) and hands back
  // the rest; commits and leaves the group. Errors as Stepped::Close.
  absl::Status Close();

  // Out of the group, without a commit, after a fence or a crash of the log's producer. Fetches go
  // on, their answers are not used.
  void Leave();

  // Ends what is being fetched and finishes the archive's files: the last call.
  absl::Status Finish();

  // The domains that are slowest and those that are backed off, as of the last second. Both are
  // thread-safe.
  void WriteStatus(JsonWriter& json) const ABSL_LOCKS_EXCLUDED(status_mutex_);
  // Why nothing can be fetched at all, as of the last second; nullopt: it can.
  std::optional<WayOut::Closed> no_way_out() const ABSL_LOCKS_EXCLUDED(status_mutex_) {
    absl::MutexLock lock(&status_mutex_);
    return no_way_out_;
  }
  std::vector<Politeness::DomainReport> Slowest() const ABSL_LOCKS_EXCLUDED(status_mutex_) {
    absl::MutexLock lock(&status_mutex_);
    return slowest_;
  }

  // The requests that it holds, for people and tests.
  const RequestFlow& flow() const { return flow_; }
  uint64_t lost_commits() const { return stats_.lost_commits; }

 private:
  void OnRequest(const FeedRequest& request) override { flow_.Begin(request); }
  void OnRevoking(std::span<const PartitionId> partitions) override;
  void OnGone(std::span<const PartitionId> partitions) override;

  absl::Status ReadFeed(Duration wait);
  absl::Status CommitDue();
  // OK for a retry error, after a word in the log.
  static absl::Status Survive(const absl::Status& status);
  // Waits for results until `until`, and takes what they lead to as far as it goes.
  absl::Status Work(SteadyTime until);
  // Until none of these requests is left, or `deadline`; then what is being fetched is handed back,
  // and the log waited for once more.
  absl::Status Drain(RequestFlow::Which which);
  absl::Status DrainUntil(SteadyTime deadline, absl::FunctionRef<bool()> done);
  // Not while outcomes pile up, and not when the group has heard nothing of this spider for so long
  // that its partitions may be another's: it stood still, and would ask what that one asks.
  bool MayFetch() const;
  // Busy while something is fetched. Else it waits: for the log, or for requests that it may make
  // now.
  StageState StateNow() const;
  void Observe(SteadyTime now);

  Bus& bus_;
  const Clock& clock_;
  CrawlMetrics& metrics_;
  StageClock stage_{metrics_.stage, clock_};
  const int partitions_;
  const GroupMembership membership_;
  const CrawlOptions options_;
  const std::unique_ptr<Lanes> lanes_;
  const std::unique_ptr<FailureFile> failures_;
  RequestFlow flow_;
  FeedStats stats_;

  // While it is in the group.
  std::unique_ptr<LogSender> log_;
  std::unique_ptr<FeedReader> feed_;

  bool drained_ = false;  // by Close
  SteadyTime last_poll_{};
  SteadyTime last_heard_{};  // the group was polled with success
  SteadyTime last_commit_{};
  bool commit_failed_ = false;  // the last one
  SteadyTime last_look_{};
  FeedStats reported_;
  std::vector<LaneResult> results_;

  mutable absl::Mutex status_mutex_;
  std::vector<Politeness::DomainReport> slowest_ ABSL_GUARDED_BY(status_mutex_);
  std::optional<WayOut::Closed> no_way_out_ ABSL_GUARDED_BY(status_mutex_);
  std::vector<Politeness::DomainReport> backed_off_ ABSL_GUARDED_BY(status_mutex_);
};

// Joins the spiders' group: what a process's loop steps until it is closed or fenced, and then
// makes anew. The core outlives it.
absl::StatusOr<std::unique_ptr<Stepped>> JoinSpiders(
    SpiderCore& core, Duration wait = std::chrono::milliseconds(200));

}  // namespace orbweaver
