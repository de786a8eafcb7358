// The events of a replay, numbered in the order in which they were replayed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/clock.h"
#include "common/base/ids.h"

namespace orbweaver::lab {

// Memory: 28 bytes an event. Not thread-safe.
class EventIndex {
 public:
  struct Event {
    PartitionId partition;
    Offset offset;
    WallTime time;  // when it was written
  };

  // The next event. Those of a partition come with offsets 0, 1, 2, …
  void Add(const Event& event);

  // Nothing: it was not replayed.
  std::optional<uint32_t> Find(PartitionId partition, Offset offset) const;
  const Event& at(uint32_t number) const { return events_[number]; }
  size_t size() const { return events_.size(); }

 private:
  std::vector<Event> events_;
  std::vector<std::vector<uint32_t>> by_partition_;  // by offset
};

}  // namespace orbweaver::lab
