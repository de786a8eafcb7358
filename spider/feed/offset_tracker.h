// Turns out-of-order completions into the one offset that may be committed.
#pragma once

#include <cstdint>
#include <deque>

#include "common/base/ids.h"

namespace orbweaver {

// Place: spider, between the outcomes' acks and Consumer::Commit. One tracker a partition.
// Not thread-safe; lives on the spider core's thread from assignment to revocation.
class OffsetTracker {
 public:
  // `first` is the partition's committed offset: what begins first is not below it.
  explicit OffsetTracker(Offset first) : committable_(first), next_(first) {}

  // Offsets begin in ascending order. A gap counts as finished: the log holds nothing there.
  void Begin(Offset offset);

  // Marks `offset` as having its outcome in the spider log. False when it was never begun or is
  // finished already: a late answer after a hand-back, which the caller counts and ignores.
  [[nodiscard]] bool Finish(Offset offset);

  // Everything below this is finished. Never moves back.
  Offset Committable() const { return committable_; }

  // Behind the last that began.
  Offset Next() const { return next_; }

  // How far the oldest unfinished request holds the commit back, in offsets.
  int64_t Held() const { return next_ - committable_; }

 private:
  struct Entry {
    Offset offset;
    bool finished = false;
  };

  std::deque<Entry> entries_;  // ascending; the first is unfinished
  Offset committable_;
  Offset next_;
};

}  // namespace orbweaver
