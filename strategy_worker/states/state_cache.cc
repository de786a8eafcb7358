#include "strategy_worker/states/state_cache.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace orbweaver {
namespace {

// A record stays decoded for so many Loads after its last use: domains in steady use are not
// encoded and decoded with every batch.
constexpr uint32_t kOpenLoads = 4;

}  // namespace

StateCache::~StateCache() { metrics_.bytes.Add(-static_cast<double>(bytes_)); }

CachedDomain* StateCache::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->get();
}

CachedDomain& StateCache::Add(std::unique_ptr<CachedDomain> domain) {
  CachedDomain& added = *domain;
  const bool is_new = by_name_.insert(std::move(domain)).second;
  CHECK(is_new);
  Enter(added);
  if (added.is_open()) open_.push_back(&added);
  Recount(added);
  for (size_t i = 0; i < added.shard_count(); ++i) {
    if (added.shard(i) != nullptr) Touch(added, *added.shard(i));
  }
  List(added);
  return added;
}

void StateCache::BeginLoad() {
  ++generation_;
  load_bytes_ = 0;
  CloseUnused();
}

void StateCache::CloseUnused() {
  std::erase_if(open_, [this](CachedDomain* domain) {
    if (domain->IsPinned() || generation_ - domain->generation <= kOpenLoads) return false;
    domain->Close();
    Recount(*domain);
    return true;
  });
}

void StateCache::Enter(CacheUnit& unit) {
  if (unit.generation == generation_) return;
  unit.generation = generation_;
  load_bytes_ += unit.bytes;
}

void StateCache::Touch(CachedDomain& domain) {
  Enter(domain);
  if (!domain.IsListed()) return;
  domains_.Remove(domain);
  domains_.AddNewest(domain);
}

void StateCache::Touch(CachedDomain& domain, Shard& shard) {
  Enter(shard);
  Recount(domain, shard);
  if (domain.shard_count() == 1 || shard.IsPinned()) return;
  shards_.Remove(shard);
  shards_.AddNewest(shard);
}

void StateCache::Evict() {
  const auto may_go = [this](const CacheUnit* unit) {
    return unit != nullptr && unit->generation != generation_;
  };
  while (bytes_ > max_bytes_) {
    CacheUnit* const domain = domains_.oldest();
    CacheUnit* const shard = shards_.oldest();
    // A domain is asked for whenever one of its shards is, so its shards go before it.
    if (may_go(shard) && (shard_bytes_ > max_bytes_ / 2 || !may_go(domain) ||
                          shard->generation <= domain->generation)) {
      auto& evicted = static_cast<Shard&>(*shard);
      Uncount(evicted);
      evicted.domain->Evict(evicted);
    } else if (may_go(domain)) {
      Remove(static_cast<CachedDomain&>(*domain));
    } else {
      return;
    }
    metrics_.evictions.Increment();
  }
}

void StateCache::Uncount(Shard& shard) {
  shards_.Remove(shard);
  shard_bytes_ -= shard.bytes;
  Count(shard, 0);
}

void StateCache::Remove(CachedDomain& domain) {
  for (size_t i = 0; i < domain.shard_count(); ++i) {
    Shard* const shard = domain.shard(i);
    if (shard == nullptr || domain.shard_count() == 1) continue;
    Uncount(*shard);
  }
  domains_.Remove(domain);
  Count(domain, 0);
  if (domain.is_open()) std::erase(open_, &domain);
  by_name_.erase(by_name_.find(domain.name()));
}

std::vector<CachedDomain*> StateCache::TakeChanged(PartitionId partition) {
  const auto found = changed_.find(partition);
  if (found == changed_.end()) return {};
  std::vector<CachedDomain*> changed = std::move(found->second);
  changed_.erase(found);
  return changed;
}

void StateCache::Release(std::span<CachedDomain* const> domains) {
  for (CachedDomain* const domain : domains) {
    if (!domain->IsPinned()) Enter(*domain);
    Recount(*domain);
    for (size_t i = 0; domain->shard_count() > 1 && i < domain->shard_count(); ++i) {
      Shard* const shard = domain->shard(i);
      if (shard == nullptr) continue;
      Recount(*domain, *shard);
      if (shard->IsPinned() || shard->IsListed()) continue;
      Enter(*shard);
      shards_.AddNewest(*shard);
    }
    List(*domain);
  }
}

void StateCache::List(CachedDomain& domain) {
  if (!domain.IsListed() && !domain.IsPinned()) domains_.AddNewest(domain);
}

void StateCache::OnChanged(CachedDomain& domain) {
  domains_.Remove(domain);
  changed_[domain.partition()].push_back(&domain);
}

void StateCache::Drop(PartitionId partition) {
  changed_.erase(partition);
  std::vector<CachedDomain*> dropped;
  for (const auto& domain : by_name_) {
    if (domain->partition() == partition) dropped.push_back(domain.get());
  }
  for (CachedDomain* const domain : dropped) Remove(*domain);
}

void StateCache::Recount(CachedDomain& domain) { Count(domain, domain.MemoryBytes()); }

void StateCache::Recount(CachedDomain& domain, Shard& shard) {
  if (domain.shard_count() == 1) {
    Recount(domain);
    return;
  }
  shard_bytes_ -= shard.bytes;
  Count(shard, shard.MemoryBytes());
  shard_bytes_ += shard.bytes;
}

void StateCache::Count(CacheUnit& unit, size_t bytes) {
  bytes_ += bytes - unit.bytes;
  if (unit.generation == generation_) load_bytes_ += bytes - unit.bytes;
  metrics_.bytes.Add(static_cast<double>(bytes) - unit.bytes);
  unit.bytes = static_cast<uint32_t>(bytes);
}

}  // namespace orbweaver
