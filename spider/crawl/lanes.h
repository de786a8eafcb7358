// The fetching side of a spider, as its core sees it: tasks in, results out.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

#include "spider/crawl/lane.h"

namespace orbweaver {

// Used by one thread, the core's.
class Lanes {
 public:
  virtual ~Lanes() = default;

  // Never blocks. Tasks of one slot go to the same lane, which keeps its hosts' connections.
  virtual void Start(LaneTask task) = 0;

  // Waits until something has finished or `until` has passed; appends what has finished.
  virtual void Run(SteadyTime until, std::vector<LaneResult>* done) = 0;

  // Drops what is under way and finishes the files: the last call. Fatal when they could not be.
  virtual absl::Status Stop() = 0;
};

// One lane, run by the core's thread itself: crawls on one core, and the simulator.
class InlineLane : public Lanes {
 public:
  explicit InlineLane(std::unique_ptr<Lane> lane) : lane_(std::move(lane)) {}

  void Start(LaneTask task) override { lane_->Start(std::move(task)); }
  void Run(SteadyTime until, std::vector<LaneResult>* done) override { lane_->Run(until, done); }
  absl::Status Stop() override { return lane_->Finish(); }

 private:
  const std::unique_ptr<Lane> lane_;
};

// A thread for each lane. Domains are shared out by their slots. Results wait here until the core
// takes them; there are no more of them than tasks, which the core bounds.
class ThreadedLanes : public Lanes {
 public:
  explicit ThreadedLanes(std::vector<std::unique_ptr<Lane>> lanes);
  ~ThreadedLanes() override;

  void Start(LaneTask task) override;
  void Run(SteadyTime until, std::vector<LaneResult>* done) override;
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
};

}  // namespace orbweaver
