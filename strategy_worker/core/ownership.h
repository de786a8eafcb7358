// The partitions that this worker owns: from the marker that takes one over to its release.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/bus/consumer.h"
#include "common/protocol/log_witness.h"
#include "common/protocol/owned_log.h"
#include "common/protocol/topic_record.h"
#include "common/protocol/version_sequence.h"
#include "common/store/store.h"
#include "strategy_worker/core/core_metrics.h"

namespace orbweaver {

struct OwnedPartition {
  Offset epoch;
  VersionSequence versions;
  std::optional<Version> version;    // of the next flush
  Offset known_end;                  // the spider log has at least so many
  std::optional<Offset> applied_to;  // what the next commit will say, when anything was applied
  bool has_changes = false;          // domains of it wait for the next flush
  SteadyTime next_witness;           // when the spider log's is due
};

// Place: inside StrategyCore. An assigned partition is pending until TakeOver has succeeded, and
// owned after that. Not thread-safe.
class Ownership {
 public:
  // All must outlive it.
  Ownership(OwnedLog& log, Store& store, const TopicRecord& topics, CoreMetrics& metrics)
      : log_(log), store_(store), topics_(topics), metrics_(metrics) {}

  void Assign(const AssignedPartition& partition);
  // Also of one that is only pending.
  void Release(PartitionId partition);

  // Takes over what is pending, after a look whether the topics are still those that this worker
  // started on, and the logs those that the store knows (fatal otherwise, as what is in the rows
  // could not be compared with what is read).
  // Blocks; on a retry error it goes on with the rest at the next call.
  absl::Status TakeOver(Duration bus_timeout, Duration store_timeout);

  // Sees that every partition has a version for the next flush: before a batch, so that what it
  // writes under its epoch is also put under it. False when a sequence is used up: Renew.
  bool ReserveVersions();
  // Another marker for such partitions. Nothing written under the old epoch may be outstanding:
  // readers would drop it.
  absl::Status Renew(Duration bus_timeout);

  // An applied message of the spider log: now and then one is kept as its log's witness.
  void Witness(const Message& message, SteadyTime now);
  // Puts what Witness has kept, and the markers of take-overs. Where the store does not take them
  // the older ones stay, which are as true, and a later call tries again.
  void SaveWitnesses(Duration store_timeout, SteadyTime now);

  bool HasPending() const { return !pending_.empty(); }
  // Null when it is not owned.
  OwnedPartition* Find(PartitionId partition);
  // Owned or pending.
  std::vector<PartitionId> Assigned() const;
  std::map<PartitionId, OwnedPartition>& owned() { return owned_; }
  uint64_t topic_epoch() const { return topics_.topic_epoch; }

 private:
  // A marker; the epoch and the versions that come of it.
  absl::StatusOr<OwnedPartition> Mark(PartitionId partition, Duration timeout);

  OwnedLog& log_;
  Store& store_;
  const TopicRecord topics_;
  CoreMetrics& metrics_;

  std::map<PartitionId, Offset> pending_;  // with the position where reading starts
  std::map<PartitionId, OwnedPartition> owned_;
  // Not in the store yet.
  std::map<PartitionId, LogWitness> markers_;
  std::map<PartitionId, LogWitness> events_;
  SteadyTime next_save_;
};

}  // namespace orbweaver
