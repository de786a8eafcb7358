// One change of one domain, from its head to one put.
//
// Place: filled by enqueue (requests of the scoring log) and by the opening of delayed buckets;
// Finish makes the chunks. Edits are used again for their memory. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "db_worker/queue/chunk.h"
#include "db_worker/queue/chunk_cache.h"
#include "db_worker/queue/head.h"
#include "db_worker/queue/partition.h"

namespace orbweaver {

class DomainEdit {
 public:
  // A column that the put has beside the head.
  struct NewCell {
    std::string column;
    std::shared_ptr<const Chunk> chunk;
  };

  // Forgets the edit before.
  void Begin(Partition& partition, DomainId domain);

  Partition& partition() const { return *partition_; }
  DomainId domain() const { return domain_; }
  Head& head() { return head_; }
  const Head& head() const { return head_; }
  // Whether there is anything to put.
  bool changed() const { return changed_; }
  void MarkChanged() { changed_ = true; }

  // Appends to the band of its score, or to the bucket of its due time when that is after `now`.
  void Add(const ScheduledRequest& request, WallTime now);
  // The same with what EncodeRequest made of it.
  void AddEncoded(std::string_view encoded, int band, WallTime not_before, WallTime now);
  // Takes back what was added: `visit(encoded)` for each one, those of a band or bucket in their
  // order.
  template <typename Visit>
  void TakeAdded(Visit visit) {
    for (const Chunk& chunk : RemoveAdded()) {
      for (uint32_t i = 0; i < chunk.size(); ++i) visit(chunk[i]);
    }
  }
  // Drops what is queued and what was added.
  void Purge();

  // Ends it: chunks get their numbers and go to `cache`. A band's only chunk, when it is small and
  // cached, is written again together with what is new, under a new number: never in place, since
  // an owner that was replaced meanwhile would change what its successor reads.
  void Finish(ChunkCache& cache, WallTime now);

  const std::vector<NewCell>& cells() const { return cells_; }

 private:
  struct DelayedWriter {
    uint32_t bucket_id;
    ChunkWriter writer;
    std::vector<Chunk> full;
  };

  std::vector<Chunk> RemoveAdded();
  DelayedBucket& FindBucket(uint32_t id);

  void FinishBandChunk(int band, ChunkCache& cache);
  void FinishDelayedChunks(DelayedWriter& delayed);
  void MergeOnlyChunk(int band, ChunkCache& cache);

  Partition* partition_ = nullptr;
  DomainId domain_ = kNoDomain;
  Head head_;
  bool changed_ = false;
  // New requests and chunks that have no number yet: Finish numbers them.
  std::array<ChunkWriter, kBands> writers_;
  std::array<std::vector<Chunk>, kBands> full_;
  std::vector<DelayedWriter> delayed_;
  std::vector<NewCell> cells_;
  std::string encoded_;  // kept for its memory
};

}  // namespace orbweaver
