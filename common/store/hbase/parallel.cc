#include "common/store/hbase/parallel.h"

#include <algorithm>

#include "common/base/check.h"

namespace orbweaver {

Parallel::Parallel(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { ThreadMain(); });
}

Parallel::~Parallel() {
  {
    absl::MutexLock lock(&mutex_);
    CHECK(waiting_.empty());
    stopping_ = true;
  }
  for (std::thread& thread : threads_) thread.join();
}

void Parallel::Run(size_t count, absl::FunctionRef<void(size_t)> work) {
  if (count == 0) return;
  if (count == 1) return work(0);
  Batch batch{.work = work, .count = count};
  absl::MutexLock lock(&mutex_);
  waiting_.push_back(&batch);
  while (batch.next < batch.count) DoOne(batch);
  auto all_done = [&batch] { return batch.done == batch.count; };
  mutex_.Await(absl::Condition(&all_done));
}

void Parallel::DoOne(Batch& batch) {
  const size_t piece = batch.next++;
  if (batch.next == batch.count) std::erase(waiting_, &batch);
  mutex_.Unlock();
  batch.work(piece);
  mutex_.Lock();
  ++batch.done;
}

void Parallel::ThreadMain() {
  absl::MutexLock lock(&mutex_);
  for (;;) {
    auto wanted = [this]()
                      ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return stopping_ || !waiting_.empty(); };
    mutex_.Await(absl::Condition(&wanted));
    if (waiting_.empty()) return;
    DoOne(*waiting_.front());
  }
}

}  // namespace orbweaver
