// A partition that this worker owns: its domains, and where it stands in both logs.
//
// Place: made by TakeOver, held by the core until the partition is given away, changed by enqueue
// and dequeue in turn. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/protocol/epoch_filter.h"
#include "common/protocol/version_sequence.h"
#include "db_worker/queue/chunk_cache.h"
#include "db_worker/queue/domain_index.h"

namespace orbweaver {

// How a partition's lag is known: the requests of its feed that the spiders have not done.
enum class LagState : uint8_t {
  kUnknown,          // not looked at yet
  kCommitted,        // the usual case
  kNoCommit,         // nothing was ever committed, or it has expired: all that the log holds
  kLogCut,           // retention has deleted requests that no spider had done: they are lost
  kCommitBeyondEnd,  // the topic was made anew: all that the log holds
};

struct Partition {
  // Below the 2^18 of a VersionSequence by more than one step can use: then the partition is taken
  // over again, for a new epoch.
  static constexpr uint64_t kMaxFlushes = 250'000;

  Partition(PartitionId partition, uint64_t owned_topic_epoch, Offset owned_epoch, uint32_t number,
            VersionSequence sequence, EpochFilter filter)
      : id(partition),
        topic_epoch(owned_topic_epoch),
        epoch(owned_epoch),
        owner(number),
        versions(sequence),
        scoring(filter) {}

  // For the puts of one flush.
  Version NextVersion();

  ChunkKey KeyOf(DomainId domain, int band, uint64_t chunk) const {
    return {.chunk = chunk,
            .owner = owner,
            .domain = domain,
            .generation = index.Generation(domain),
            .band = static_cast<uint8_t>(band)};
  }

  const PartitionId id;
  const uint64_t topic_epoch;
  const Offset epoch;
  const uint32_t owner;  // ChunkKey::owner

  VersionSequence versions;
  uint64_t flushes = 0;
  DomainIndex index;
  EpochFilter scoring;  // of the scoring log

  // When to look next for what may leave: where no domain is ready, not before one can be.
  WallTime NextLook() const;

  // Dequeue's.
  bool paused = false;
  WallTime look_after;   // the interval since the last look
  WallTime look_latest;  // for the report of the spiders' progress
  LagState lag_state = LagState::kUnknown;
  int64_t lag = 0;
  int64_t lost = 0;  // with kLogCut
  WallTime next_backlog_look;
  int64_t backlog = 0;  // of the strategy workers, in the spider log
  uint64_t sent = 0;
  uint64_t sent_since_checkpoint = 0;
  WallTime checkpoint_due;
};

using Partitions = std::map<PartitionId, std::unique_ptr<Partition>>;

}  // namespace orbweaver
