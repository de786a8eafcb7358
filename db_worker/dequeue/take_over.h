// Takes one partition over by the crash protocol.
//
// Place: in DbWorkerCore, for each partition that the consumer group gives it; then a Checkpointer
// brings to the store what was read back, and the partition can be worked on.
//
// In this order: a marker into the feed (its offset is the epoch), the checkpoint, the heads, and
// the feed from the checkpoint to the marker: what was sent is never sent again. Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"

#include "common/bus/consumer.h"
#include "common/model/arena.h"
#include "common/model/spider_feed.h"
#include "common/protocol/epoch_filter.h"
#include "db_worker/dequeue/checkpoint.h"
#include "db_worker/parts.h"

namespace orbweaver {

// Reading back joins no group and commits nothing, but a consumer must name one.
inline constexpr char kReadBackGroup[] = "orbweaver-read-back";

class TakeOver {
 public:
  // `owner` is ChunkKey::owner, never used before; `scoring_metadata` the scoring log's commit's.
  // `parts` must outlive it.
  TakeOver(const WorkerParts& parts, uint64_t topic_epoch, PartitionId partition, uint32_t owner,
           std::string scoring_metadata);

  PartitionId partition() const { return id_; }

  // The partition. After a retry error it goes on when called again.
  absl::StatusOr<std::unique_ptr<Partition>> Advance();

 private:
  enum class Stage { kMarker, kHeads, kBounds, kFeed };

  absl::Status AppendMarker();
  absl::Status ReadHeads();
  // How many slots to read by one scan, from the number of rows in the table's first slots.
  absl::StatusOr<int> SlotsPerScan();
  absl::Status ReadSlots(int first, int end);
  absl::Status AddHead(std::string_view row, std::string_view packed);
  absl::Status FindStart();
  absl::Status ReadFeed();
  void Apply(const Message& message);
  void ApplyRequest(const Request& request, WallTime sent_at);

  const WorkerParts& parts_;
  const uint64_t topic_epoch_;
  const PartitionId id_;
  const uint32_t owner_;
  const std::string scoring_metadata_;

  Stage stage_ = Stage::kMarker;
  std::unique_ptr<Partition> partition_;
  std::optional<Checkpoint> checkpoint_;
  int slots_per_scan_ = 0;  // 0: not known yet
  int next_slot_;
  std::string next_row_;  // where the scan goes on; empty: at the slot's first
  // The part of the feed that is to be read: [position_, epoch).
  Offset position_;
  EpochFilter filter_;
  std::unique_ptr<Consumer> consumer_;
  Arena arena_;
};

}  // namespace orbweaver
