// Takes partitions over by the crash protocol.
//
// Place: in DbWorkerCore, for the partitions that the consumer group gives it; then a Checkpointer
// brings to the store what was read back, and the partitions can be worked on.
//
// In this order: a marker into each one's feed (its offset is the epoch), the checkpoints, the
// heads, and the feeds from checkpoint to marker: what was sent is never sent again. All at once,
// since the slots of a worker's partitions are neighbours in the store: a scan reads a whole run of
// them, and goes on over others' slots where few rows stand. Not thread-safe.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/bus/consumer.h"
#include "common/model/arena.h"
#include "common/model/spider_feed.h"
#include "common/protocol/epoch_filter.h"
#include "db_worker/dequeue/checkpoint.h"
#include "db_worker/parts.h"

namespace orbweaver {

// Reading back joins no group and commits nothing, but a consumer must name one.
inline constexpr char kReadBackGroup[] = "orbweaver-read-back";

// A partition that was assigned and is not ready for work yet.
struct ComingPartition {
  PartitionId id;
  Offset next_message;           // of the scoring log
  std::string scoring_metadata;  // of the scoring log's commit
};

class TakeOver {
 public:
  // `first_owner` and as many numbers above as there are partitions: ChunkKey::owner, never used
  // before. `parts` must outlive it.
  TakeOver(const WorkerParts& parts, uint64_t topic_epoch, std::vector<ComingPartition> coming,
           uint32_t first_owner);

  bool Includes(PartitionId partition) const;

  // The partitions, in the order in which they came. After a retry error it goes on when called
  // again.
  absl::StatusOr<std::vector<std::unique_ptr<Partition>>> Advance();

 private:
  enum class Stage { kMarkers, kCheckpoints, kHeads, kFeeds };

  // One of them, and how far it is.
  struct Taken {
    ComingPartition coming;
    std::unique_ptr<Partition> partition;  // once its marker stands
    std::optional<Checkpoint> checkpoint;
    // The part of the feed that is to be read: [position, epoch).
    std::optional<Offset> position;
    EpochFilter filter;
    std::unique_ptr<Consumer> consumer;
  };

  absl::Status AppendMarkers();
  absl::Status LoadCheckpoints();
  absl::Status ReadHeads();
  // How many slots of others are sooner read than passed over by another scan.
  absl::StatusOr<int> SlotsInVain();
  absl::Status ReadSlots(int first, int end);
  absl::Status AddHead(std::string_view row, std::string_view packed);
  Taken* OwnerOf(int slot);
  size_t IndexBytes() const;
  absl::Status ReadFeed(Taken& taken);
  absl::Status FindStart(Taken& taken);
  void Apply(Taken& taken, const Message& message);
  void ApplyRequest(Taken& taken, const Request& request, WallTime sent_at);

  const WorkerParts& parts_;
  const uint64_t topic_epoch_;
  const uint32_t first_owner_;

  std::vector<Taken> taken_;
  Stage stage_ = Stage::kMarkers;
  size_t at_ = 0;  // of a stage that goes from partition to partition
  std::optional<int> slots_in_vain_;
  int next_slot_ = 0;     // where the heads go on
  std::string next_row_;  // within a run of slots; empty: at its first row
  Arena arena_;
};

}  // namespace orbweaver
