// The domains in memory: found by name, counted by bytes, evicted by when they were last asked for.
//
// Place: inside PackedStateStore. Not thread-safe.
//
// A domain that is changed, or flushed and not yet known to be durable, is never evicted: it is not
// in the lists at all. The shards of domains that have several have a list of their own and at most
// half of the memory, so that one large site cannot push out all others.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"

#include "common/base/ids.h"
#include "strategy_worker/states/cached_domain.h"
#include "strategy_worker/states/lru_list.h"
#include "strategy_worker/states/state_metrics.h"

namespace orbweaver {

class StateCache {
 public:
  StateCache(uint64_t max_bytes, StateMetrics& metrics)
      : max_bytes_(max_bytes), metrics_(metrics) {}
  ~StateCache();

  // Null when it is not in memory.
  CachedDomain* Find(std::string_view name) const;
  CachedDomain& Add(std::unique_ptr<CachedDomain> domain);

  // A new Load begins; what it does not touch may be evicted in its end.
  void BeginLoad();
  // The bytes that this Load may still touch: half of the memory, in all. The other half is for
  // domains that were touched before and are being flushed.
  uint64_t LoadRoom() const { return max_bytes_ / 2 - std::min(max_bytes_ / 2, load_bytes_); }
  void Touch(CachedDomain& domain);
  void Touch(CachedDomain& domain, Shard& shard);
  // Until the memory is within its bound or nothing is left that may go.
  void Evict();

  // The partition's domains that were changed, in the order in which they were; each is then to be
  // flushed.
  std::vector<CachedDomain*> TakeChanged(PartitionId partition);
  // Those that are no longer in flight.
  void Release(std::span<CachedDomain* const> domains);
  void Drop(PartitionId partition);

  uint64_t bytes() const { return bytes_; }

  // From the domains.
  void OnOpened(CachedDomain& domain) { open_.push_back(&domain); }
  void OnChanged(CachedDomain& domain);
  void Unlist(Shard& shard) { shards_.Remove(shard); }
  // A shard of several is about to go.
  void Uncount(Shard& shard);
  void Recount(CachedDomain& domain);
  void Recount(CachedDomain& domain, Shard& shard);

 private:
  // A set whose elements hold their key is half as large as a map.
  struct HashOfName {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return absl::HashOf(name); }
    size_t operator()(const std::unique_ptr<CachedDomain>& d) const { return (*this)(d->name()); }
  };
  struct SameName {
    using is_transparent = void;
    static std::string_view NameOf(std::string_view name) { return name; }
    static std::string_view NameOf(const std::unique_ptr<CachedDomain>& d) { return d->name(); }
    bool operator()(const auto& a, const auto& b) const { return NameOf(a) == NameOf(b); }
  };

  void CloseUnused();
  void Remove(CachedDomain& domain);
  // The Load that is under way asks for it.
  void Enter(CacheUnit& unit);
  // Enters the domain's units that may be evicted and are not in a list, as the newest.
  void List(CachedDomain& domain);
  void Count(CacheUnit& unit, size_t bytes);

  const uint64_t max_bytes_;
  StateMetrics& metrics_;

  absl::flat_hash_set<std::unique_ptr<CachedDomain>, HashOfName, SameName> by_name_;
  LruList domains_;
  LruList shards_;  // of domains that have several
  uint64_t bytes_ = 0;
  uint64_t shard_bytes_ = 0;  // those of the second list, pinned ones included
  uint32_t generation_ = 0;
  uint64_t load_bytes_ = 0;          // of those of this generation
  std::vector<CachedDomain*> open_;  // their records are not encoded
  absl::flat_hash_map<PartitionId, std::vector<CachedDomain*>> changed_;
};

}  // namespace orbweaver
