// Whether a log is still the one that the store knows.
//
// Rows, checkpoints and versions hold offsets, and an offset says nothing of a log that was made
// anew, restored, mirrored, or cut back by an unclean election. So the store keeps a witness of
// each partition of each topic of the loop: the offset and the hash of a record that stood there. A
// worker that takes the partition over compares the log with the witness before it relies on any
// offset.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/bus/bus.h"
#include "common/store/store.h"

namespace orbweaver {

// The hint at the end of each message about a foreign log.
inline constexpr std::string_view kForeignLogHint =
    "Was the topic made anew, restored or cut back? Stop all workers; `orbweaver init` says what "
    "it finds, `orbweaver init --accept-new-topics` goes on with what there is "
    "(docs/operations.md)";

struct LogWitness {
  PartitionId partition;
  Offset offset;
  Fingerprint hash;

  friend bool operator==(const LogWitness&, const LogWitness&) = default;
};

// Of a record as it is consumed. Markers (without a key) say in their value when they were written,
// and their writer does not know the time that the log gave them: theirs does not count.
LogWitness WitnessOf(const Message& message);
LogWitness WitnessOfMarker(PartitionId partition, Offset offset, std::string_view value);

// Puts witnesses of `topic`; `versions`, one for each, are the partition's owner's: the strategy
// worker's of spider log and scoring log, the db worker's of the feed.
absl::Status SaveWitnesses(Store& store, std::string_view topic, uint64_t topic_epoch,
                           std::span<const LogWitness> witnesses, std::span<const Version> versions,
                           Duration timeout);

// A partition's log that is not the one that the store knows.
struct ForeignLog {
  std::string topic;
  PartitionId partition;
  std::string found;  // what the store knew, and what the log has
};

// Those of `partitions`. A partition without a witness of this topic epoch, or whose witness
// retention has deleted, is taken for the one that it was. Reads a record a partition.
absl::StatusOr<std::vector<ForeignLog>> FindForeignLogs(Store& store, Bus& bus,
                                                        uint64_t topic_epoch,
                                                        std::string_view topic,
                                                        std::span<const PartitionId> partitions,
                                                        Duration timeout);

// For whoever takes partitions over, before anything is written: fatal, with kForeignLogHint, when
// one of `topics` has a foreign log among `partitions`.
absl::Status CheckWitnesses(Store& store, Bus& bus, uint64_t topic_epoch,
                            std::span<const std::string_view> topics,
                            std::span<const PartitionId> partitions, Duration timeout);

}  // namespace orbweaver
