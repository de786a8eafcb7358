#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

#include "common/base/clock.h"

namespace orbweaver {

// How many TLS handshakes may run at once: as many as this thread has the time to finish. A
// handshake costs as much as some pages, so of a thousand that are begun together the last ones are
// answered when their servers have given up. Those that wait here have no connection yet.
//
// The bound follows the thread: it grows while some wait and the thread keeps up with its sockets,
// so that servers that do not answer hold up nobody for long, and halves while it does not.
//
// Place: in HttpFetcher. Not thread-safe.
class HandshakeGate {
 public:
  static constexpr size_t kFirst = 64;
  static constexpr size_t kLeast = 8;
  static constexpr size_t kMore = 16;
  // Some handshakes' time. Servers wait for seconds.
  static constexpr Duration kBehind = std::chrono::milliseconds(200);

  // True: it runs. False: it waits, behind those that came before, and runs from the call of
  // `admitted` on, which must not be long. Leave ends either.
  [[nodiscard]] bool Enter(std::function<void()> admitted) {
    if (waiting_.empty() && running_ < bound_) {
      ++running_;
      return true;
    }
    waiting_.push_back(std::move(admitted));
    return false;
  }

  void Leave() {
    --running_;
    Admit();
  }

  // Some times a second. `behind`: for so long something that was ready has waited for the thread.
  void Adapt(Duration behind) {
    if (behind > kBehind) {
      bound_ = std::max(kLeast, bound_ / 2);
    } else if (!waiting_.empty()) {
      bound_ += kMore;
      Admit();
    }
  }

  size_t bound() const { return bound_; }
  size_t running() const { return running_; }
  size_t waiting() const { return waiting_.size(); }

 private:
  void Admit() {
    while (!waiting_.empty() && running_ < bound_) {
      const std::function<void()> admitted = std::move(waiting_.front());
      waiting_.pop_front();
      ++running_;
      admitted();
    }
  }

  size_t bound_ = kFirst;
  size_t running_ = 0;
  std::deque<std::function<void()>> waiting_;
};

}  // namespace orbweaver
