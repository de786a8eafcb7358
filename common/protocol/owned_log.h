// The log that a worker writes while it owns partitions: the strategy worker's scoring log, the db
// worker's spider feed.
//
// Place: inside a worker's core, one a worker. A worker that takes a partition over appends a
// marker to it; the marker's offset is the owner's epoch. Before an owner commits, it looks for a
// later marker in the log. Not thread-safe.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/bus/bus.h"
#include "common/model/encode_buffer.h"
#include "common/protocol/log_witness.h"

namespace orbweaver {

// Reading for a later marker joins no group and commits nothing, but a consumer must name one.
inline constexpr char kOwnerCheckGroup[] = "orbweaver-owner-check";

struct OwnedLogOptions {
  std::string topic;  // kScoringLogTopic or kSpiderFeedTopic
  std::string owner;  // this worker's name, for people who read markers
  ProducerOptions producer;
};

// After a fatal error, or a Fenced one because a record was given up, it is of no use any more:
// what was appended may be in the log or not. Its worker stops without committing and begins anew.
class OwnedLog {
 public:
  // `bus` and `clock` must outlive it.
  static absl::StatusOr<std::unique_ptr<OwnedLog>> Create(Bus& bus, const Clock& clock,
                                                          OwnedLogOptions options);
  ~OwnedLog();

  // Appends a marker and waits for its ack: the new epoch. Also for a partition that is owned
  // already, to get a new epoch. On a retry error call it again.
  absl::StatusOr<Offset> TakeOver(PartitionId partition, Duration timeout);

  // Forgets the partition. Its appended records stay in the log.
  void Release(PartitionId partition);

  // Copies the record. Blocks, at most for `timeout`, only while the byte budget is full. The
  // caller has written its epoch into `value`.
  absl::Status Append(PartitionId partition, std::string_view key, std::string_view value,
                      Duration timeout);

  // As Append for each of `records`, in order. The first of them are taken and removed from
  // *records even when it fails: after a retry error call it again with the rest.
  absl::Status AppendMany(PartitionId partition, std::span<const KeyValue>* records,
                          Duration timeout);

  // Waits until all that was appended is in the log.
  absl::Status AwaitAcks(Duration timeout);

  // After AwaitAcks. FencedError, naming the partition, when one of them has a marker later than
  // this owner's. Looks at the logs' ends; reads entries only where others have written.
  absl::Status CheckStillOwner(std::span<const PartitionId> partitions, Duration timeout);

  // The marker of an owned partition, to be kept in the store.
  const LogWitness& MarkerOf(PartitionId partition) const;

  // Right after the last acked entry of our own, the marker included.
  Offset WrittenTo(PartitionId partition) const;

  Bus& bus() const { return bus_; }

 private:
  struct Owned {
    LogWitness marker;
    Offset epoch;
    Offset written_to;            // after the last own entry that was acked
    Offset checked_to;            // no later marker stands below
    int64_t own_since_check = 0;  // own entries acked at checked_to or above
  };

  OwnedLog(Bus& bus, const Clock& clock, OwnedLogOptions options);

  void OnAck(const Ack& ack);
  absl::Status Send(PartitionId partition, std::string_view key, std::string_view value,
                    uint64_t token, Duration timeout);
  // Reads [from, to), which is above our own marker. FencedError when there is another.
  absl::Status LookForMarker(PartitionId partition, Offset from, Offset to, SteadyTime deadline);

  Bus& bus_;
  const Clock& clock_;
  const OwnedLogOptions options_;
  std::unique_ptr<Producer> producer_;
  std::unique_ptr<OffsetReader> offsets_;  // made when first needed
  EncodeBuffer buffer_;

  std::map<PartitionId, Owned> owned_;
  absl::Status failure_;  // of an ack; for ever
  uint64_t next_token_ = 1;
  uint64_t marker_token_ = 0;  // the marker whose ack is awaited
  Offset marker_offset_{-1};
};

}  // namespace orbweaver
