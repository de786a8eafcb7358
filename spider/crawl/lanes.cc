#include "spider/crawl/lanes.h"

#include <iterator>
#include <utility>

#include "absl/time/time.h"

#include "common/base/clock.h"
#include "common/url/partition.h"
#include "spider/crawl/lane.h"

namespace orbweaver {
namespace {

// A thread with nothing to do looks around this seldom; Wake ends the wait.
constexpr Duration kIdle = std::chrono::seconds(1);

}  // namespace

ThreadedLanes::ThreadedLanes(std::vector<std::unique_ptr<Lane>> lanes) {
  for (auto& lane : lanes) {
    auto& worker = workers_.emplace_back(std::make_unique<Worker>());
    worker->lane = std::move(lane);
    worker->thread = std::thread([this, worker = worker.get()] { RunWorker(*worker); });
  }
}

ThreadedLanes::~ThreadedLanes() { (void)Stop(); }

void ThreadedLanes::Start(LaneTask task) {
  const Slot slot = SlotOf(task.journey->request().domain);
  Worker& worker = *workers_[slot.value() % workers_.size()];
  {
    absl::MutexLock lock(&worker.mutex);
    worker.tasks.push_back(std::move(task));
    // A lane that already had a task has been woken.
    if (worker.tasks.size() > 1) return;
  }
  worker.lane->Wake();
}

absl::Status ThreadedLanes::Run(SteadyTime until, std::vector<LaneResult>* done) {
  const auto some = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return !done_.empty() || !failure_.ok();
  };
  absl::MutexLock lock(&mutex_);
  mutex_.AwaitWithTimeout(absl::Condition(&some), absl::FromChrono(until - SystemClock().Now()));
  done->insert(done->end(), std::move_iterator(done_.begin()), std::move_iterator(done_.end()));
  done_.clear();
  return failure_;
}

absl::Status ThreadedLanes::Stop() {
  absl::Status status;
  for (auto& worker : workers_) {
    {
      absl::MutexLock lock(&worker->mutex);
      worker->stop = true;
    }
    worker->lane->Wake();
  }
  for (auto& worker : workers_) {
    if (worker->thread.joinable()) worker->thread.join();
    status.Update(worker->finished);
  }
  return status;
}

void ThreadedLanes::RunWorker(Worker& worker) {
  std::vector<LaneTask> tasks;
  std::vector<LaneResult> done;
  while (true) {
    {
      absl::MutexLock lock(&worker.mutex);
      if (worker.stop) break;
      tasks.swap(worker.tasks);
    }
    for (LaneTask& task : tasks) worker.lane->Start(std::move(task));
    tasks.clear();
    const absl::Status status = worker.lane->Run(SystemClock().Now() + kIdle, &done);
    if (done.empty() && status.ok()) continue;
    absl::MutexLock lock(&mutex_);
    failure_.Update(status);
    done_.insert(done_.end(), std::move_iterator(done.begin()), std::move_iterator(done.end()));
    done.clear();
  }
  worker.finished = worker.lane->Stop();
}

}  // namespace orbweaver
