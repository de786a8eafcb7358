// The fetching side of a spider, as its core sees it: tasks in, results out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"

#include "common/base/clock.h"
#include "spider/feed/journey.h"
#include "spider/fetch/fetch_result.h"
#include "spider/politeness/politeness.h"
#include "spider/publish/log_entries.h"

namespace orbweaver {

class Lane;

struct FetchTask {
  bool is_robots = false;  // a robots.txt, and no page
  IpAddress address;
  // It was asked before, over a connection that had ended: whatever comes now counts.
  bool again = false;
};

struct LaneTask {
  TurnId id;
  std::shared_ptr<const Journey> journey;  // its url() can be split (fetch_url.h)
  std::optional<FetchTask> fetch;          // nullopt: only the address of the host is looked up
};

// A robots.txt, a redirect, or a failure that may be our own side's.
using Answer = std::unique_ptr<FetchResult>;
// The result of a fetch. LogEntries: the outcome of a page. monostate: it met a connection that had
// ended, and needs another turn.
using FetchEnd = std::variant<std::monostate, Answer, LogEntries>;

struct FetchOver {
  Politeness::Ending ending;
  Duration took{};
  FetchEnd end;
};

// How far a fetch or a look-up got.
enum class Reached : uint8_t {
  kNothing,  // it was decided here, before anything was sent
  kTheWeb,   // past our own side
  kAnother,  // the other end, or what stands before it, had its part in the result
};

struct LaneResult {
  TurnId id;
  Reached reached = Reached::kNothing;
  bool asked_names = false;  // a name server was asked, and answered
  // Of a failure: the part of our own side that may be at fault (FetchResult).
  std::optional<OwnSide> suspect;
  // Of a look-up the address, or an Answer that says only why there is none.
  std::variant<IpAddress, Answer, FetchOver> what;
};

// Used by one thread, the core's.
class Lanes {
 public:
  virtual ~Lanes() = default;

  // Begins now; never blocks. Its id must not be in use. Tasks of one domain go to the same lane,
  // which keeps its hosts' connections.
  virtual void Start(LaneTask task) = 0;

  // Waits until something has finished or `until` has passed; appends what has finished. Every task
  // has one result. Fatal when a disk takes no more: the spider must stop.
  virtual absl::Status Run(SteadyTime until, std::vector<LaneResult>* done) = 0;

  // Drops what is under way and finishes the files: the last call. Fatal when they could not be.
  virtual absl::Status Stop() = 0;
};

// A thread for each lane. Domains are shared out by their slots. Results wait here until the core
// takes them; there are no more of them than tasks, which the core bounds.
class ThreadedLanes : public Lanes {
 public:
  explicit ThreadedLanes(std::vector<std::unique_ptr<Lane>> lanes);
  ~ThreadedLanes() override;

  void Start(LaneTask task) override;
  absl::Status Run(SteadyTime until, std::vector<LaneResult>* done) override;
  absl::Status Stop() override;

 private:
  struct Worker {
    std::unique_ptr<Lane> lane;
    absl::Mutex mutex;
    std::vector<LaneTask> tasks ABSL_GUARDED_BY(mutex);  // not yet taken by the thread
    bool stop ABSL_GUARDED_BY(mutex) = false;
    absl::Status finished;  // read after the thread has ended
    std::thread thread;
  };

  void RunWorker(Worker& worker);

  std::vector<std::unique_ptr<Worker>> workers_;
  absl::Mutex mutex_;
  std::vector<LaneResult> done_ ABSL_GUARDED_BY(mutex_);
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);  // of a lane
};

}  // namespace orbweaver
