// The topics of a data folder and what stands in them: which there are, from where to where each
// partition's log goes, appending, reading and retention.
//
// Place: under producers (through Committer) and consumers. Layout, in the folder's `log` family: a
// key is topic, partition and *last* offset of a batch (big endian), its value a stored batch. So
// one seek to (topic, partition, offset) finds the batch that holds the offset. In `meta`:
// `topic/NAME` its partitions and retention, `start/` + topic + partition the log's start where
// retention has moved it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/base/signal.h"
#include "common/bus/bus.h"
#include "common/store/rocksdb/database.h"

namespace rocksdb {
class Iterator;
}

namespace orbweaver {

class StoredBatchBuilder;
struct StoredBatchHead;

// One partition's log. Offsets in [start, end) can be read.
struct LogPartition {
  LogPartition(uint32_t topic_id, PartitionId id, Signal& changed)
      : topic_id(topic_id), id(id), changed(changed) {}

  const uint32_t topic_id;
  const PartitionId id;
  Signal& changed;  // of its topic
  std::atomic<int64_t> start{0};
  std::atomic<int64_t> end{0};  // everything below is durable

  // The MessageLog's appender only: where the next batch goes, and the sums that its head carries.
  int64_t tail = 0;
  uint64_t log_bytes = 0;
  WallTime newest_time{};

  // The MessageLog's deletions only: batches whose last offset is below are gone.
  int64_t erased_to = 0;
};

// Where a partition's log is to begin.
struct LogStart {
  std::string_view topic;
  PartitionId partition;
  Offset start;
};

struct LogTopic {
  uint32_t id = 0;
  TopicSpec spec;
  // Raised at each append, and by the topic's consumer groups. Of the topic and not of the log: who
  // waits for one is not woken by what goes into others.
  mutable Signal changed;
  std::vector<std::unique_ptr<LogPartition>> partitions;

  // Null when there is no such partition.
  LogPartition* Find(PartitionId partition) const {
    const auto index = static_cast<size_t>(partition.value());
    return partition.value() >= 0 && index < partitions.size() ? partitions[index].get() : nullptr;
  }
};

// A batch as it was read.
struct LogBatch {
  Offset first;
  Offset last;
  std::string stored;
};

// Thread-safe; Append is for one thread. Topics are never removed, so pointers to them and their
// partitions stay valid as long as the MessageLog.
class MessageLog {
 public:
  // Reads the topics and where their logs end.
  static absl::StatusOr<std::unique_ptr<MessageLog>> Open(Database& database, const Clock& clock);

  // As Bus::EnsureTopics.
  absl::StatusOr<std::vector<std::string>> EnsureTopics(std::span<const TopicSpec> topics,
                                                        Duration timeout)
      ABSL_LOCKS_EXCLUDED(topics_mutex_);

  // Null when there is none.
  const LogTopic* FindTopic(std::string_view name) const ABSL_LOCKS_EXCLUDED(topics_mutex_);
  // Fatal when there is none.
  absl::StatusOr<LogPartition*> FindPartition(std::string_view topic, PartitionId partition) const;

  // A batch to append, and the offset of its first record once it is in the log.
  struct Append {
    LogPartition* partition;
    const StoredBatchBuilder* batch;
    Offset first{};
  };
  // Appends all, durably and at once, or nothing; sets each one's `first`, and wakes readers.
  // DeadlineExceeded when compactions were too far behind for all of `timeout`. One thread at a
  // time.
  absl::Status AppendAll(std::span<Append> appends, Duration timeout);

  // Reads from the log as it was when the view was made.
  class View {
   public:
    explicit View(const MessageLog& log);
    ~View();
    // The batch that holds `offset`, which must be in [start, end); OutOfRange when retention has
    // taken it meanwhile.
    absl::Status Read(const LogPartition& partition, Offset offset, LogBatch* batch);

   private:
    const Database& database_;
    const std::unique_ptr<rocksdb::Iterator> batches_;
  };

  // Deletes the batches that are older, or more, than their topic keeps. DeadlineExceeded when
  // compactions are too far behind for ten seconds: the next time does it.
  absl::Status ApplyRetention() ABSL_LOCKS_EXCLUDED(retention_mutex_);

  // Deletes what is below the starts, which must be within their logs, in one write: what no table
  // file has yet never gets into one.
  absl::Status DeleteBefore(std::span<const LogStart> starts) ABSL_LOCKS_EXCLUDED(retention_mutex_);

  // From now on no Poll waits for longer than a moment: their threads are to end.
  void HurryPolls() ABSL_LOCKS_EXCLUDED(topics_mutex_);
  bool polls_hurry() const { return polls_hurry_; }

 private:
  MessageLog(Database& database, const Clock& clock) : database_(database), clock_(clock) {}

  absl::Status Load() ABSL_LOCKS_EXCLUDED(topics_mutex_);
  absl::Status LoadPartition(LogPartition* partition);
  absl::Status MakeMissing(std::span<const TopicSpec> topics, std::vector<std::string>* differences)
      ABSL_LOCKS_EXCLUDED(topics_mutex_);
  // The first offset that the topic's retention keeps.
  absl::StatusOr<Offset> FirstKept(const TopicSpec& spec, const LogPartition& partition)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(retention_mutex_);
  // Moves the starts of partitions, all at once, and deletes what is then below them.
  struct Cut {
    LogPartition* partition;
    Offset start;
  };
  absl::Status Delete(std::span<const Cut> cuts) ABSL_EXCLUSIVE_LOCKS_REQUIRED(retention_mutex_);

  Database& database_;
  const Clock& clock_;
  std::atomic<bool> polls_hurry_ = false;

  mutable absl::Mutex topics_mutex_;
  std::map<std::string, std::unique_ptr<LogTopic>, std::less<>> topics_
      ABSL_GUARDED_BY(topics_mutex_);

  absl::Mutex retention_mutex_;  // one at a time
};

}  // namespace orbweaver
