#include "strategy_worker/core/background_write.h"

#include <optional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

#include "common/base/check.h"

namespace orbweaver {
namespace {

class ThreadWrite : public BackgroundWrite {
 public:
  ThreadWrite() : thread_([this] { Run(); }) {}

  ~ThreadWrite() override {
    {
      absl::MutexLock lock(&mutex_);
      stops_ = true;
    }
    thread_.join();
  }

  void Start(std::function<absl::Status()> write) override {
    absl::MutexLock lock(&mutex_);
    CHECK(!write_ && !result_.has_value());
    write_ = std::move(write);
    is_awaited_ = true;
  }

  absl::Status Await() override {
    absl::MutexLock lock(&mutex_);
    if (!is_awaited_) return absl::OkStatus();
    auto done = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return result_.has_value(); };
    mutex_.Await(absl::Condition(&done));
    absl::Status result = *std::move(result_);
    result_.reset();
    is_awaited_ = false;
    return result;
  }

 private:
  void Run() {
    auto woken = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return stops_ || write_; };
    while (true) {
      std::function<absl::Status()> write;
      {
        absl::MutexLock lock(&mutex_);
        mutex_.Await(absl::Condition(&woken));
        if (!write_) return;
        write = std::exchange(write_, nullptr);
      }
      absl::Status result = write();
      absl::MutexLock lock(&mutex_);
      result_ = std::move(result);
    }
  }

  absl::Mutex mutex_;
  std::function<absl::Status()> write_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Status> result_ ABSL_GUARDED_BY(mutex_);
  bool is_awaited_ ABSL_GUARDED_BY(mutex_) = false;
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

}  // namespace

absl::Status DirectWrite::Await() { return std::exchange(result_, absl::OkStatus()); }

std::unique_ptr<BackgroundWrite> NewThreadWrite() { return std::make_unique<ThreadWrite>(); }

}  // namespace orbweaver
