// A worker's session over the log that it reads: from its place in the consumer group to its
// commits.
//
// Place: in a worker's core, one a worker: the strategy worker's spider log, the db worker's
// scoring log, the role `pages`' spider log, the spider's feed. Not thread-safe.
//
//   assigned → Poll, and StayInGroup in the middle of long work → Bury what cannot be read → Commit
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/protocol/dead_letters.h"
#include "common/worker/cut_log.h"

namespace orbweaver {

// When retention has deleted entries of a log before they were read.
enum class OnCutLog : uint8_t { kStop, kContinue };

// How a worker belongs to the group of the log that it reads: see ConsumerOptions.
struct GroupMembership {
  std::string member;
  Duration session_timeout = ConsumerOptions().session_timeout;
  OnCutLog on_cut = OnCutLog::kStop;
  // Asked when the worker leaves, with all committed.
  std::function<Departure()> departure = [] { return Departure::kForNow; };
};

struct LogSessionOptions {
  std::string topic;
  std::string group;
  GroupMembership membership;
  // Of one call to the bus; at most LogSession::LongestCall.
  Duration call_timeout = std::chrono::seconds(10);
  std::string_view module;  // of the messages in the worker's own log
  std::string_view loss;    // of a cut: "Their links are lost"
};

// A member that does not poll for the session timeout is dead to its group: its partitions go to
// others, who begin the same long work anew. So work that may take long stops when IsDue says so,
// keeps its state, and goes on after StayInGroup.
class LogSession : private RebalanceListener {
 public:
  // A worker works for about so long between two polls; a call to store or bus may add its timeout.
  static constexpr Duration kInterval = std::chrono::seconds(1);

  // How long one call to store or bus may take, so that a worker that waits for one stays in its
  // group.
  static std::chrono::milliseconds LongestCall(Duration session_timeout) {
    return std::chrono::floor<std::chrono::milliseconds>(session_timeout / 3);
  }

  // `bus` and `clock` must outlive it.
  static absl::StatusOr<std::unique_ptr<LogSession>> Create(Bus& bus, const Clock& clock,
                                                            LogSessionOptions options);
  // As Create, with a consumer that has neither subscribed nor assigned.
  LogSession(Bus& bus, const Clock& clock, std::unique_ptr<Consumer> consumer,
             std::unique_ptr<OffsetReader> offsets, LogSessionOptions options);
  ~LogSession() override;

  // Joins the group; `listener` hears of partitions as Consumer says, and must outlive the session.
  absl::Status Join(RebalanceListener* listener);

  bool IsDue() const { return clock_.Now() - last_poll_ >= kInterval; }

  // Consumer::Poll, after the partitions that StayInGroup has paused were resumed. A cut log is no
  // error: it is told in the worker's log, and is_cut() is true from then on.
  absl::Status Poll(const PollLimits& limits, Duration timeout, MessageBatch* batch);

  // The age of the oldest message that the last Poll brought: how far behind this worker is, in
  // time. Zero when it brought none, unless the worker has paused a partition.
  Duration behind() const { return behind_; }

  // Serves rebalances and reads nothing: all partitions are paused until the next Poll. A broker
  // that is away is no error. Fenced: as Consumer::Poll says.
  absl::Status StayInGroup();

  // Pauses or resumes a partition for the worker: its messages come when both the worker and the
  // session let them. FencedError when the partition is not held.
  absl::Status SetPaused(PartitionId partition, bool paused);

  // Some partitions stand still, since retention has deleted what was to be read next of them.
  bool is_cut() const { return is_cut_; }

  // The metadata of a partition's next commit; nullopt: the partition is left for a later call.
  using MetadataOf = std::function<std::optional<std::string>(PartitionId)>;

  // Commits behind the cuts, which resumes the partitions, and tells what was lost. With nothing
  // read in hand. Fatal when a cut is to stop the worker, and when the log is another one.
  absl::StatusOr<std::vector<CutLog>> GoOnBehindCuts(const MetadataOf& metadata_of);

  // Keeps a message that cannot be processed in dead-letter.
  absl::Status Bury(const Message& message, std::string_view cause);

  // Consumer::Commit, once what was buried is durable.
  absl::Status Commit(std::span<const OffsetCommit> commits);
  absl::Status Commit(std::span<const OffsetCommit> commits, Duration timeout);

  // Leaves the group, for as long as its membership says.
  void Close();

  // The offset that is read next of a partition that is held.
  Offset NextOf(PartitionId partition) const { return held_.at(partition).next; }

  OffsetReader& offsets() { return *offsets_; }
  DeadLetters& dead_letters() { return dead_letters_; }

 private:
  struct Held {
    Offset next;  // to be read
    bool paused_by_worker = false;
  };

  void NotePositions(const MessageBatch& batch);
  void NoteAge(const MessageBatch& batch);
  // Notes a cut, and makes it OK.
  absl::Status WithoutCut(const absl::Status& polled);

  void OnAssigned(std::span<const AssignedPartition> assigned) override;
  void OnRevoked(std::span<const PartitionId> revoked) override;
  void OnLost(std::span<const PartitionId> lost) override;

  const Clock& clock_;
  const LogSessionOptions options_;
  const std::unique_ptr<OffsetReader> offsets_;
  const std::unique_ptr<Consumer> consumer_;
  DeadLetters dead_letters_;
  RebalanceListener* listener_ = nullptr;
  std::map<PartitionId, Held> held_;
  SteadyTime last_poll_;
  Duration behind_{};
  bool is_paused_ = false;  // by StayInGroup
  bool is_cut_ = false;
};

}  // namespace orbweaver
