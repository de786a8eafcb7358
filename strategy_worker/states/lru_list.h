// What the cache keeps or evicts as one: a domain, or a shard of a large domain.
#pragma once

#include <cstdint>

#include "common/base/check.h"

namespace orbweaver {

struct CacheUnit {
  CacheUnit* older = nullptr;
  CacheUnit* newer = nullptr;
  uint32_t generation = 0;  // the Load that last asked for it
  uint32_t bytes = 0;       // as counted last
  bool listed = false;
};

// The units that may be evicted, by when they were asked for. Owns nothing; not thread-safe.
class LruList {
 public:
  CacheUnit* oldest() const { return oldest_; }

  void AddNewest(CacheUnit& unit) {
    CHECK(!unit.listed);
    unit.listed = true;
    unit.older = newest_;
    unit.newer = nullptr;
    (newest_ == nullptr ? oldest_ : newest_->newer) = &unit;
    newest_ = &unit;
  }

  // No effect on a unit that is not listed.
  void Remove(CacheUnit& unit) {
    if (!unit.listed) return;
    unit.listed = false;
    (unit.older == nullptr ? oldest_ : unit.older->newer) = unit.newer;
    (unit.newer == nullptr ? newest_ : unit.newer->older) = unit.older;
  }

 private:
  CacheUnit* oldest_ = nullptr;
  CacheUnit* newest_ = nullptr;
};

}  // namespace orbweaver
