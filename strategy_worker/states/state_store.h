// The link states and records of the domains that this worker owns: what stands between the core
// and the store.
//
// Place: strategy_worker/core calls it with everything it needs of a batch; packed_state_store.h
// implements it (base and delta blocks behind an LRU cache). An interface, so that another layout
// can be measured against that one.
//
// Life of a domain in here: absent → Load → record, maybe states → changed by the core → Flush
// encodes its puts → Flushed or, when the puts were given up, the whole partition is dropped. In
// between it may be read and changed.
// Changed domains are never evicted. Not thread-safe; used by the core's thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/metrics/stage_clock.h"
#include "common/store/store.h"
#include "strategy_worker/states/domain_record.h"
#include "strategy_worker/states/link_state.h"

namespace orbweaver {

// A domain that is loaded. The pointer is valid until the next Load, Flushed or Drop of the
// StateStore. Methods about states need a Load that asked for them.
class DomainStates {
 public:
  virtual ~DomainStates() = default;

  // The caller changes it in place and then says so by MarkChanged. `manifest` and `known_urls` are
  // kept by the implementation.
  virtual DomainRecord& record() = 0;
  virtual void MarkChanged() = 0;

  // Its states stand in several rows: each is loaded when one of its states is asked for.
  virtual bool IsSharded() const = 0;

  // Fills one entry per fingerprint; false in *known where the URL was never heard of (the state is
  // then a default one).
  virtual void Find(std::span<const Fingerprint> fingerprints, std::span<LinkState> states,
                    std::span<bool> known) const = 0;

  // Of the states that are loaded.
  virtual StatusCounts CountByStatus() const = 0;

  // Implies MarkChanged, unless the state is there already and equal.
  virtual void Set(Fingerprint fingerprint, const LinkState& state) = 0;

  // The queue was emptied: what is QUEUED becomes what it was before (StatusOutOfQueue), in the
  // states that are not loaded too: it takes a number in the record. Implies MarkChanged when there
  // may have been any.
  virtual void ForgetQueued() = 0;

  // The domain is as one that was never seen, but for the record's `applied` and outbox; its states
  // need not be loaded. Implies MarkChanged.
  virtual void Forget() = 0;
};

struct StateRequest {
  std::string_view domain;
  PartitionId partition;
  // The URLs whose states will be read; none: only the record is needed. A domain in one row is
  // loaded whole when any are asked for; of a sharded one only the shards of these.
  std::span<const Fingerprint> fingerprints;
  bool all_states = false;     // those of all URLs, however many
  bool record_states = false;  // those that stand in the record's row, which cost no read more
  // Of the partition's owner (VersionSequence::Highest).
  Version highest = kMaxVersion;
};

class StateStore {
 public:
  virtual ~StateStore() = default;

  // Makes the domains present: one MultiGet for the records that are missing, with the states of
  // those that ask for them where possible, and one more for shards. A domain that has no row is
  // known to have none. Blocks for at most about `timeout`. Retry and fatal errors are the store's;
  // a row whose bytes cannot be understood is fatal and named. So is a record of a version above
  // its reader's highest: a later owner put it, or an owner by a log that stood here before, and
  // puts of this one would not show. On error what was loaded stays.
  //
  // Returns how many of the requests were met, from the first on: all of them or, where they take
  // more memory than there is for them, fewer, but one at least. Several may be of one domain, so
  // that a large one is not loaded with all the shards that a batch needs.
  virtual absl::StatusOr<size_t> Load(std::span<const StateRequest> requests, Duration timeout) = 0;

  // The time of reads counts as waiting from now on: however slow the store is, it is not this
  // worker that is busy. `stage` must outlive this object.
  virtual void CountWaits(StageClock& stage) = 0;

  // Null when it is not loaded.
  virtual DomainStates* Find(std::string_view domain) = 0;

  // Encodes the puts of all changed domains of `partition` under `version` and appends them to the
  // lists, as views into buffers of this object that live until Flushed or Drop. The second list
  // may be written only when the first is durable (shards before the record that counts them). The
  // domains may be changed again at once: such a change belongs to the next flush.
  virtual void Flush(PartitionId partition, Version version, std::vector<RowPut>* first,
                     std::vector<RowPut>* second) = 0;

  // The puts of all Flushes so far are durable.
  virtual void Flushed() = 0;

  // The cells that the flushed puts made superfluous, each returned once; views live until the next
  // TakeGarbage or Drop. Call it only when the worker was still the owner of its partitions after
  // Flushed: a later owner's rows may need these columns. The erase may fail or be left out: what
  // is not erased is found again when its row is read.
  virtual void TakeGarbage(std::vector<RowErase>* erases) = 0;

  // Forgets everything of the partition, changed or not: it was revoked (after a flush) or lost.
  virtual void Drop(PartitionId partition) = 0;
};

}  // namespace orbweaver
