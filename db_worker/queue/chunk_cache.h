// Chunks that were written or read lately and will leave soon, so that most need no read at all.
//
// Place: one a worker, shared by its partitions. Bounded by bytes; what was used longest ago goes
// first. Not thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <memory>

#include "absl/container/flat_hash_map.h"

#include "db_worker/queue/chunk.h"

namespace orbweaver {

// Which chunk of which band of which domain. `owner` is a number for each time that a partition was
// taken over, `generation` the index's for the domain: so nothing that was cached for another is
// ever found.
struct ChunkKey {
  uint64_t chunk = 0;
  uint32_t owner = 0;
  uint32_t domain = 0;
  uint32_t generation = 0;
  uint8_t band = 0;

  friend bool operator==(const ChunkKey&, const ChunkKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const ChunkKey& key) {
    return H::combine(std::move(h), key.chunk, key.owner, key.domain, key.generation, key.band);
  }
};

class ChunkCache {
 public:
  explicit ChunkCache(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Null when it is not there.
  std::shared_ptr<const Chunk> Find(const ChunkKey& key);
  // Replaces what is there.
  void Insert(const ChunkKey& key, std::shared_ptr<const Chunk> chunk);
  void Erase(const ChunkKey& key);

  size_t bytes() const { return bytes_; }

 private:
  struct Node {
    ChunkKey key;
    std::shared_ptr<const Chunk> chunk;
  };
  // Beside the chunk's bytes: nodes, the map's place, control blocks.
  static constexpr size_t kOverhead = 200;
  static size_t CostOf(const Node& node) {
    return node.chunk->bytes().size() + node.chunk->taken_out().size_bytes() + kOverhead;
  }

  const size_t max_bytes_;

  std::list<Node> by_use_;  // the latest first
  absl::flat_hash_map<ChunkKey, std::list<Node>::iterator> nodes_;
  size_t bytes_ = 0;
};

}  // namespace orbweaver
