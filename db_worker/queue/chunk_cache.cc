#include "db_worker/queue/chunk_cache.h"

#include <utility>

namespace orbweaver {

std::shared_ptr<const Chunk> ChunkCache::Find(const ChunkKey& key) {
  const auto found = nodes_.find(key);
  if (found == nodes_.end()) return nullptr;
  by_use_.splice(by_use_.begin(), by_use_, found->second);
  return found->second->chunk;
}

void ChunkCache::Insert(const ChunkKey& key, std::shared_ptr<const Chunk> chunk) {
  Erase(key);
  by_use_.push_front({key, std::move(chunk)});
  nodes_.emplace(key, by_use_.begin());
  bytes_ += CostOf(by_use_.front());
  while (bytes_ > max_bytes_) Erase(ChunkKey(by_use_.back().key));
}

void ChunkCache::Erase(const ChunkKey& key) {
  const auto found = nodes_.find(key);
  if (found == nodes_.end()) return;
  bytes_ -= CostOf(*found->second);
  by_use_.erase(found->second);
  nodes_.erase(found);
}

}  // namespace orbweaver
