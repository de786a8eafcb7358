#include "spider/feed/offset_tracker.h"

#include <algorithm>

#include "common/base/check.h"

namespace orbweaver {

void OffsetTracker::Begin(Offset offset) {
  CHECK(offset >= next_);
  entries_.push_back({.offset = offset});
  next_ = offset + 1;
  if (entries_.size() == 1) committable_ = offset;
}

bool OffsetTracker::Finish(Offset offset) {
  const auto found =
      std::lower_bound(entries_.begin(), entries_.end(), offset,
                       [](const Entry& entry, Offset wanted) { return entry.offset < wanted; });
  if (found == entries_.end() || found->offset != offset || found->finished) return false;
  found->finished = true;
  while (!entries_.empty() && entries_.front().finished) entries_.pop_front();
  committable_ = entries_.empty() ? next_ : entries_.front().offset;
  return true;
}

}  // namespace orbweaver
