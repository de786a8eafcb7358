// Turns what was chosen into requests: reads the chunks and moves the heads on.
//
// Place: inside Dequeuer, for one batch of one or more partitions. Chunks are fetched by name, of
// all domains in one call. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"

#include "db_worker/dequeue/batch_chooser.h"
#include "db_worker/parts.h"

namespace orbweaver {

// A request that leaves; `encoded` lives until the reader's next Begin.
struct LeavingRequest {
  std::string_view encoded;
  uint64_t chunk = 0;
  uint32_t index = 0;
  uint8_t band = 0;
};

// The requests that a domain gives, in the order in which they leave.
struct LeavingDomain {
  Partition* partition = nullptr;
  ChosenDomain chosen;
  absl::InlinedVector<LeavingRequest, 1> requests;  // with many domains, one of each
};

class BatchReader {
 public:
  // `parts` must outlive it.
  explicit BatchReader(const WorkerParts& parts) : parts_(parts) {}

  // Forgets the batch before. `domains` must outlive the reading.
  void Begin(std::vector<LeavingDomain>* domains);

  // Fills `requests` and moves `chosen.head` past them, and past what was taken out; a domain whose
  // chunks hold less than was counted gives less. So does one of whose requests very many were
  // taken out: it is passed over the rest in batches to come. Until all is read or the group is
  // due; goes on when called again, also after a retry error.
  absl::Status Read();
  bool done() const { return cursors_.empty(); }

 private:
  // One band of one domain.
  struct Cursor {
    LeavingDomain* domain;
    int band;
    uint32_t left;
    uint64_t chunk;
    uint32_t index;
    uint32_t empty_chunks = 0;  // passed, and gave no request
  };

  // Takes what is in memory. False when the chunk it stands at has to be read.
  bool TakeCached(Cursor& cursor);
  void Finish(const Cursor& cursor);
  absl::Status Fetch(std::span<const Cursor> cursors);

  const WorkerParts& parts_;

  std::vector<Cursor> cursors_;  // those that are not done
  // Keeps what the requests point into; null: damaged, passed over.
  absl::flat_hash_map<ChunkKey, std::shared_ptr<const Chunk>> read_;
  std::vector<std::shared_ptr<const Chunk>> kept_;
};

}  // namespace orbweaver
