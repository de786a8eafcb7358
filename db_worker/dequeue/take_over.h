// Takes partitions over by the crash protocol.
//
// Place: in DbWorkerCore, for the partitions that the consumer group gives it; then a Checkpointer
// brings to the store what was read back, and the partitions can be worked on.
//
// In this order: a look whether the logs are those that the store knows (log_witness.h), a marker
// into each one's feed (its offset is the epoch), the checkpoints, the heads, and the feeds from
// checkpoint to marker: what was sent is never sent again. All at once, since the slots of a
// worker's partitions are neighbours in the store: a scan reads a whole run of them, and goes on
// over others' slots where few rows stand.
//
// Millions of heads take minutes, more than a group waits for a silent member: so it is done in
// slices, and over a rebalance it keeps what it has read of partitions that stay. Not thread-safe.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/bus/consumer.h"
#include "common/model/arena.h"
#include "common/model/spider_feed.h"
#include "common/protocol/epoch_filter.h"
#include "common/worker/step_sequence.h"
#include "db_worker/dequeue/checkpoint.h"
#include "db_worker/parts.h"

namespace orbweaver {

// Reading back joins no group and commits nothing, but a consumer must name one.
inline constexpr char kReadBackGroup[] = "orbweaver-read-back";

// A partition that was assigned and is not ready for work yet.
struct ComingPartition {
  PartitionId id;
  std::string scoring_metadata;  // of the scoring log's commit
};

class TakeOver {
 public:
  // `first_owner` and as many numbers above as there are partitions: ChunkKey::owner, never used
  // before. `parts` must outlive it.
  TakeOver(const WorkerParts& parts, uint64_t topic_epoch, std::vector<ComingPartition> coming,
           uint32_t first_owner);

  // The partition is not to be taken over any more; the others are, and lose nothing.
  void Leave(PartitionId partition);
  bool empty() const { return taken_.empty(); }

  // Goes on until `until`, or a little longer. False: call it again, also after a retry error.
  absl::StatusOr<bool> Advance(WallTime until);

  // Once Advance said true: the partitions, in the order in which they came.
  std::vector<std::unique_ptr<Partition>> Take();

  uint64_t heads_read() const { return heads_read_; }
  std::string_view step() const { return steps_.name(); }

 private:
  using Steps = StepSequence<TakeOver>;

  // One of them, and how far it is.
  struct Taken {
    ComingPartition coming;
    uint32_t owner;                        // ChunkKey::owner
    bool logs_checked = false;             // its logs are those that the store knows
    bool marker_saved = false;             // as its log's witness
    std::unique_ptr<Partition> partition;  // once its marker stands
    bool checkpoint_read = false;
    std::optional<Checkpoint> checkpoint;
    // The part of the feed that is to be read: [position, epoch).
    std::optional<Offset> position;
    bool feed_read = false;
    EpochFilter filter;
    std::unique_ptr<Consumer> consumer;
  };

  static std::span<const Steps::Step> TakeOverSteps();
  // Each goes on with its part of the work until that is done, or the time is over: false.
  absl::StatusOr<bool> AppendMarkers();
  absl::StatusOr<bool> LoadCheckpoints();
  absl::StatusOr<bool> ReadHeads();
  absl::StatusOr<bool> ReadFeeds();
  absl::Status CheckLogs();
  absl::Status SaveMarkers();
  absl::Status CheckOlder(const Taken& taken);
  // How many slots of others are sooner read than passed over by another scan.
  absl::StatusOr<int> SlotsToReadThrough();
  // The heads from next_row_ to the slot `end`.
  absl::StatusOr<bool> ReadSlots(int end);
  absl::Status AddHead(std::string_view row, const Cell& cell);
  Taken* OwnerOf(int slot);
  size_t IndexBytes() const;
  absl::StatusOr<bool> ReadFeed(Taken& taken);
  absl::Status FindStart(Taken& taken);
  void Apply(Taken& taken, const Message& message);
  void ApplyRequest(Taken& taken, const Request& request, WallTime sent_at);
  bool IsOver() const { return parts_.time.Now() >= until_; }
  // Now and then, in the log.
  void TellProgress();

  const WorkerParts& parts_;
  const uint64_t topic_epoch_;

  std::vector<Taken> taken_;
  Steps steps_{TakeOverSteps()};
  WallTime until_;
  std::optional<int> slots_to_read_through_;
  std::string next_row_;  // where the heads go on; begins with a slot
  uint64_t heads_read_ = 0;
  const WallTime began_;
  WallTime tell_at_;
  Arena arena_;
};

}  // namespace orbweaver
