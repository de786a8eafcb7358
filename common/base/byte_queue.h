// A queue between threads, bounded by bytes: a full queue makes its producer wait, so memory never
// grows with a slow reader.
#pragma once

#include <deque>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

#include "common/base/clock.h"

namespace orbweaver {

// Thread-safe, many producers and many consumers.
template <typename T>
class ByteQueue {
 public:
  explicit ByteQueue(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Waits until `bytes` fit, at most `timeout`. False when the time passed or the queue is closed;
  // `item` is then untouched. An item larger than the whole queue is taken when the queue is empty:
  // refusing it would stop its producer for good.
  [[nodiscard]] bool Push(T&& item, size_t bytes, Duration timeout) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    auto fits = [this, bytes]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
      return closed_ || items_.empty() || bytes_ + bytes <= max_bytes_;
    };
    if (!mutex_.AwaitWithTimeout(absl::Condition(&fits), absl::FromChrono(timeout)) || closed_) {
      return false;
    }
    bytes_ += bytes;
    items_.emplace_back(std::move(item), bytes);
    return true;
  }

  // The oldest item; waits at most `timeout`. Nothing when the time passed, or the queue is closed
  // and drained.
  std::optional<T> Pop(Duration timeout) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    auto ready = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return closed_ || !items_.empty(); };
    mutex_.AwaitWithTimeout(absl::Condition(&ready), absl::FromChrono(timeout));
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front().first));
    bytes_ -= items_.front().second;
    items_.pop_front();
    return item;
  }

  // Wakes all who wait; nothing more goes in, what is in can still be popped. Idempotent.
  void Close() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    closed_ = true;
  }

  size_t bytes() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return bytes_;
  }

 private:
  const size_t max_bytes_;

  mutable absl::Mutex mutex_;
  std::deque<std::pair<T, size_t>> items_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace orbweaver
