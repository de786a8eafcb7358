// The unit that the cache keeps or evicts: a domain, or a shard of a large domain.
#pragma once

#include <cstdint>

#include "common/base/check.h"

namespace orbweaver {

struct CacheUnit {
  CacheUnit* older = nullptr;  // null: in no list
  CacheUnit* newer = nullptr;
  uint32_t generation = 0;  // the Load that last asked for it
  uint32_t bytes = 0;       // as counted last

  bool IsListed() const { return older != nullptr; }
};

// The units that may be evicted, by when they were asked for. Owns nothing; not thread-safe.
class LruList {
 public:
  LruList() { ends_.older = ends_.newer = &ends_; }
  LruList(const LruList&) = delete;
  LruList& operator=(const LruList&) = delete;

  // Null when it is empty.
  CacheUnit* oldest() { return ends_.newer == &ends_ ? nullptr : ends_.newer; }

  void AddNewest(CacheUnit& unit) {
    CHECK(!unit.IsListed());
    unit.older = ends_.older;
    unit.newer = &ends_;
    unit.older->newer = &unit;
    ends_.older = &unit;
  }

  // No effect on a unit that is in no list.
  void Remove(CacheUnit& unit) {
    if (!unit.IsListed()) return;
    unit.older->newer = unit.newer;
    unit.newer->older = unit.older;
    unit.older = unit.newer = nullptr;
  }

 private:
  CacheUnit ends_;  // before the oldest and after the newest: the list is a ring
};

}  // namespace orbweaver
