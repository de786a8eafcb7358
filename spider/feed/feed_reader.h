// The spider's side of the feed: requests out of it, and commits back.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/protocol/epoch_filter.h"
#include "common/worker/log_session.h"
#include "spider/feed/journey.h"
#include "spider/feed/offset_tracker.h"
#include "spider/feed/rests.h"

namespace orbweaver {

// Where a request stands. A partition that comes back is another assignment: what was read before
// is then read again.
struct FeedPlace {
  PartitionId partition;
  uint64_t assignment = 0;
  Offset offset;
};

struct FeedRequest {
  FeedPlace place;
  std::shared_ptr<Journey> journey;
  // When the partition was taken over from another spider, which may have asked its domains until
  // then; nullopt: nobody had it before.
  std::optional<SteadyTime> others_until;
  // Its domain has asked to be left alone until then, perhaps another spider.
  std::optional<SteadyTime> rest_until;
};

// Called inside Poll and Close.
class FeedListener {
 public:
  virtual ~FeedListener() = default;

  virtual void OnRequest(const FeedRequest& request) = 0;

  // The partitions are about to go to another spider: finish what can be finished, with
  // FeedReader::Finish. Finished requests are committed then; the others belong to the new owner.
  virtual void OnRevoking(std::span<const PartitionId> partitions) = 0;

  // They are gone, and what is left of their requests is another's.
  virtual void OnGone(std::span<const PartitionId> partitions) = 0;
};

struct FeedStats {
  uint64_t requests = 0;
  uint64_t lost = 0;           // deleted by retention before they were read
  uint64_t of_old_epochs = 0;  // written by a db worker that had been replaced
  uint64_t dead_letters = 0;
  uint64_t commits = 0;
  uint64_t lost_commits = 0;  // before partitions went: what was finished is fetched again
};

// A spider's session over its feed.
absl::StatusOr<std::unique_ptr<LogSession>> NewFeedSession(Bus& bus, const Clock& clock,
                                                           const GroupMembership& membership);

// Place: spider core; made anew with it after a fence. Reads entries, passes over those that do not
// count, buries those that cannot be read, and commits past what is finished. Not thread-safe.
class FeedReader : private RebalanceListener {
 public:
  // `clock`, `listener` and `stats` must outlive this.
  FeedReader(std::unique_ptr<LogSession> feed, const Clock& clock, FeedListener& listener,
             FeedStats& stats);
  ~FeedReader() override;

  // Joins the spiders' group.
  absl::Status Start();

  // Hands at most `room` requests to the listener; waits at most `timeout` for the first. Without
  // room it only stays in the group. Errors as Consumer::Poll; where the feed was cut, fatal, or by
  // configuration it goes on behind the gap.
  absl::Status Poll(size_t room, Duration timeout);

  // The request's outcome is in the spider log. False when its partition is gone, or it was
  // finished already.
  bool Finish(const FeedPlace& place);

  // The domain has asked to be left alone: whoever reads the partition next hears of it, from the
  // next commit on.
  void Rest(PartitionId partition, std::string_view domain, SteadyTime until);

  // Commits, for each partition, past all that is finished. FencedError when one of them is another
  // spider's already.
  absl::Status Commit(Duration timeout);

  // Gives the partitions back, after OnRevoking, and leaves the group.
  void Close();

  // There are rests that no commit has: a crash would forget them.
  bool rests_to_commit() const { return rests_to_commit_; }

  size_t partitions() const { return partitions_.size(); }

  // Entries that were read and would be read again after a crash: one slow request holds back the
  // commit of all behind it.
  size_t uncommitted() const;

 private:
  struct Partition {
    Partition(uint64_t assignment, const AssignedPartition& assigned, SteadyTime now);

    uint64_t assignment;
    OffsetTracker tracker;
    EpochFilter seen;
    // A commit says which epoch holds at its offset, and not at the last entry that was read: what
    // stands between the two is read again by whoever comes next.
    EpochFilter committed_epoch;
    std::deque<Offset> markers;  // passed, and not yet committed
    Offset committed;
    bool has_commit;  // someone's; without one it is paused
    std::optional<SteadyTime> others_until;
    CommittedRests rests;
    bool rests_to_commit = false;
  };

  void OnAssigned(std::span<const AssignedPartition> assigned) override;
  void OnRevoked(std::span<const PartitionId> revoked) override;
  void OnLost(std::span<const PartitionId> lost) override;

  // Commits behind the gaps of partitions that were cut, which resumes them.
  absl::Status GoOnBehindCuts();
  // Commits where new partitions begin before anything is read from them: whoever comes after a
  // crash takes a partition with a commit for one whose domains were being asked a moment ago.
  absl::Status CommitFirst();
  absl::Status SetPaused(bool paused);
  absl::Status Read(const Message& message);
  absl::Status CommitThese(std::span<const PartitionId> which, Duration timeout);
  std::string MetadataOf(Partition& partition, const EpochFilter& epoch) const;
  void Drop(std::span<const PartitionId> which);

  const std::unique_ptr<LogSession> feed_;
  const Clock& clock_;
  FeedListener& listener_;
  FeedStats& stats_;
  std::map<PartitionId, Partition> partitions_;
  uint64_t next_assignment_ = 1;
  bool rests_to_commit_ = false;  // of any partition
  bool paused_ = false;           // all partitions
  MessageBatch batch_;
};

}  // namespace orbweaver
