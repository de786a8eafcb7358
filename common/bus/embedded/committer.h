// Group commit: one thread takes what all producers have sent since the last time, appends it with
// one write and one fsync, and then acks it. While it waits for the disk the next group gathers.
//
// Place: between EmbeddedProducer and MessageLog. It also runs the log's retention now and then.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"

#include "common/base/clock.h"
#include "common/bus/embedded/message_log.h"
#include "common/bus/embedded/stored_batch.h"
#include "common/bus/producer.h"

namespace orbweaver {

// Records of one producer for one partition, on their way into the log and back as acks.
struct SentBatch {
  LogPartition* partition = nullptr;
  StoredBatchBuilder records;
  std::vector<uint64_t> tokens;  // as many as records
  size_t bytes = 0;              // of the producer's budget
  // The result, set by the committer.
  Offset first{};
  absl::Status status;
};

// The records that one producer has sent and whose acks it has not taken. Shared by the producer
// and the committer; thread-safe.
class SendLane {
 public:
  // Raises `work` when the committer has to look at the lane again. After `delivery_timeout` in
  // which the log could not take its records they are given up.
  SendLane(Signal& work, Duration delivery_timeout)
      : delivery_timeout_(delivery_timeout), work_(work) {}

  // `bytes` counts against `max_bytes` until the ack is taken; ResourceExhausted beyond. The
  // failure of an earlier record is returned for ever.
  absl::Status Send(LogPartition* partition, const Record& record, WallTime time, uint64_t token,
                    size_t bytes, size_t max_bytes) ABSL_LOCKS_EXCLUDED(mutex_);

  // Batches whose fate is known, oldest first; waits at most `timeout` for one, not at all when
  // nothing is outstanding.
  std::deque<SentBatch> TakeAcked(Duration timeout) ABSL_LOCKS_EXCLUDED(mutex_);
  bool HasOutstanding() const ABSL_LOCKS_EXCLUDED(mutex_);

  // For the committer, which gives back what it has taken: appended, lost (nothing may follow, so
  // what was sent meanwhile fails too), or DeadlineExceeded: to be taken again, or lost after
  // `delivery_timeout`.
  std::deque<SentBatch> TakeSent() ABSL_LOCKS_EXCLUDED(mutex_);
  void Settle(std::deque<SentBatch> batches, SteadyTime now) ABSL_LOCKS_EXCLUDED(mutex_);
  bool HasSent() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether what was sent should not wait for more: somebody waits for acks, or it is a lot.
  bool IsUrgent() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  bool IsSettled() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return !acked_.empty() || outstanding_ == 0;
  }

  const Duration delivery_timeout_;
  Signal& work_;

  mutable absl::Mutex mutex_;
  std::deque<SentBatch> sent_ ABSL_GUARDED_BY(mutex_);
  // The batch of sent_ that a partition's next record goes into.
  absl::flat_hash_map<LogPartition*, SentBatch*> open_ ABSL_GUARDED_BY(mutex_);
  std::deque<SentBatch> acked_ ABSL_GUARDED_BY(mutex_);
  // Since when the log takes nothing, while it does not.
  std::optional<SteadyTime> stalled_since_ ABSL_GUARDED_BY(mutex_);
  size_t outstanding_ ABSL_GUARDED_BY(mutex_) = 0;  // records sent whose ack was not taken
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;        // theirs
  int waiting_ ABSL_GUARDED_BY(mutex_) = 0;         // calls of TakeAcked
  absl::Status failed_ ABSL_GUARDED_BY(mutex_);
};

// Thread-safe. Runs from construction to destruction, which commits what was sent before, and waits
// for compactions that are too far behind no longer than the producers would.
class Committer {
 public:
  Committer(MessageLog& log, Duration retention_interval);
  ~Committer();

  // A lane that the producer drops is served to its end and then forgotten.
  std::shared_ptr<SendLane> NewLane(Duration delivery_timeout) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Run();
  // True when there was something.
  bool CommitOnce() ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsUrgent() const ABSL_LOCKS_EXCLUDED(mutex_);

  MessageLog& log_;
  const Duration retention_interval_;
  Signal work_;

  mutable absl::Mutex mutex_;
  std::vector<std::shared_ptr<SendLane>> lanes_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

}  // namespace orbweaver
