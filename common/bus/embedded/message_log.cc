#include "common/bus/embedded/message_log.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "rocksdb/db.h"

#include "common/base/big_endian.h"
#include "common/base/check.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/bus/embedded/stored_batch.h"

namespace orbweaver {
namespace {

constexpr std::string_view kTopicPrefix = "topic/";
constexpr std::string_view kStartPrefix = "start/";
// The approximate overhead in RocksDB's write batch of one of our batches, without its records.
constexpr size_t kAroundBatch = 96;
// How long deleting waits for compactions that are too far behind.
constexpr Duration kDeletePatience = std::chrono::seconds(10);

std::string_view ToView(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// (topic, partition, last offset): 16 bytes that sort as the numbers do.
struct BatchKey {
  BatchKey(const LogPartition& partition, Offset last) {
    StoreBigEndian(partition.topic_id, bytes);
    StoreBigEndian(static_cast<uint32_t>(partition.id.value()), bytes + 4);
    StoreBigEndian(static_cast<uint64_t>(last.value()), bytes + 8);
  }
  rocksdb::Slice slice() const { return {bytes, sizeof bytes}; }
  rocksdb::Slice partition() const { return {bytes, 8}; }

  char bytes[16];
};

Offset LastOffsetOf(const rocksdb::Slice& key) {
  return Offset(static_cast<int64_t>(LoadBigEndian<uint64_t>(key.data() + 8)));
}

std::string StartKey(const LogPartition& partition) {
  std::string key(kStartPrefix);
  AppendBigEndian(partition.topic_id, &key);
  AppendBigEndian(static_cast<uint32_t>(partition.id.value()), &key);
  return key;
}

std::string EncodeNumber(int64_t number) {
  std::string bytes;
  AppendBigEndian(static_cast<uint64_t>(number), &bytes);
  return bytes;
}

std::string EncodeTopic(const LogTopic& topic) {
  std::string bytes;
  AppendBigEndian(topic.id, &bytes);
  AppendBigEndian(static_cast<uint32_t>(topic.spec.partitions), &bytes);
  AppendBigEndian(static_cast<uint64_t>(topic.spec.retention.count()), &bytes);
  AppendBigEndian(static_cast<uint64_t>(topic.spec.retention_bytes), &bytes);
  return bytes;
}

bool DecodeTopic(std::string_view name, std::string_view bytes, LogTopic* topic) {
  if (bytes.size() != 24) return false;
  topic->id = LoadBigEndian<uint32_t>(bytes.data());
  topic->spec.name = name;
  topic->spec.partitions = static_cast<int>(LoadBigEndian<uint32_t>(bytes.data() + 4));
  topic->spec.retention = Duration(static_cast<int64_t>(LoadBigEndian<uint64_t>(bytes.data() + 8)));
  topic->spec.retention_bytes = static_cast<int64_t>(LoadBigEndian<uint64_t>(bytes.data() + 16));
  return true;
}

void MakePartitions(LogTopic* topic) {
  for (int32_t i = 0; i < topic->spec.partitions; ++i) {
    topic->partitions.push_back(
        std::make_unique<LogPartition>(topic->id, PartitionId(i), topic->changed));
  }
}

void CompareTopics(const TopicSpec& existing, const TopicSpec& wanted,
                   std::vector<std::string>* differences) {
  if (existing.partitions != wanted.partitions) {
    differences->push_back(fmt::format("topic {}: {} partitions, expected {}", wanted.name,
                                       existing.partitions, wanted.partitions));
  }
  if (existing.retention != wanted.retention) {
    const auto seconds = [](Duration d) {
      return std::chrono::duration_cast<std::chrono::seconds>(d).count();
    };
    differences->push_back(fmt::format("topic {}: retention {} s, expected {} s", wanted.name,
                                       seconds(existing.retention), seconds(wanted.retention)));
  }
  if (existing.retention_bytes != wanted.retention_bytes) {
    differences->push_back(fmt::format("topic {}: retention {} bytes, expected {}", wanted.name,
                                       existing.retention_bytes, wanted.retention_bytes));
  }
}

absl::Status Corrupt(const Database& database, const LogPartition& partition, Offset offset) {
  return FatalError(
      "read {}: topic id {} partition {} offset {}: the log is corrupt. Restore the folder, or "
      "begin with a new one",
      database.folder().string(), partition.topic_id, partition.id, offset);
}

}  // namespace

absl::StatusOr<std::unique_ptr<MessageLog>> MessageLog::Open(Database& database,
                                                             const Clock& clock) {
  std::unique_ptr<MessageLog> log(new MessageLog(database, clock));
  RETURN_IF_ERROR(log->Load());
  return log;
}

absl::Status MessageLog::Load() {
  absl::MutexLock lock(&topics_mutex_);
  const std::unique_ptr<rocksdb::Iterator> entries(
      database_.db().NewIterator({}, database_.meta()));
  for (entries->Seek({kTopicPrefix.data(), kTopicPrefix.size()});
       entries->Valid() && ToView(entries->key()).starts_with(kTopicPrefix); entries->Next()) {
    const std::string name(ToView(entries->key()).substr(kTopicPrefix.size()));
    auto topic = std::make_unique<LogTopic>();
    if (!DecodeTopic(name, ToView(entries->value()), topic.get())) {
      return FatalError("open {}: the entry of topic '{}' is corrupt", database_.folder().string(),
                        name);
    }
    MakePartitions(topic.get());
    for (const auto& partition : topic->partitions) {
      RETURN_IF_ERROR(LoadPartition(partition.get()));
    }
    topics_[name] = std::move(topic);
  }
  return database_.ToStatus(entries->status(), "open");
}

absl::Status MessageLog::LoadPartition(LogPartition* partition) {
  std::string start;
  const rocksdb::Status got =
      database_.db().Get({}, database_.meta(), StartKey(*partition), &start);
  if (!got.ok() && !got.IsNotFound()) return database_.ToStatus(got, "open");
  if (start.size() == 8) {
    partition->start = static_cast<int64_t>(LoadBigEndian<uint64_t>(start.data()));
  }
  partition->end = partition->tail = partition->erased_to = partition->start.load();

  const std::unique_ptr<rocksdb::Iterator> batches(database_.db().NewIterator({}, database_.log()));
  const BatchKey past(*partition, Offset(std::numeric_limits<int64_t>::max()));
  batches->SeekForPrev(past.slice());
  if (!batches->Valid()) return database_.ToStatus(batches->status(), "open");
  if (!batches->key().starts_with(past.partition())) return absl::OkStatus();
  StoredBatchHead last;
  if (!last.Decode(ToView(batches->value()))) {
    return Corrupt(database_, *partition, LastOffsetOf(batches->key()));
  }
  partition->end = partition->tail = LastOffsetOf(batches->key()).value() + 1;
  partition->log_bytes = last.log_bytes;
  partition->newest_time = last.newest_time;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> MessageLog::EnsureTopics(std::span<const TopicSpec> topics,
                                                                  Duration timeout) {
  std::vector<std::string> differences;
  RETURN_IF_ERROR(
      database_.WhenWritable(timeout, [&] { return MakeMissing(topics, &differences); }));
  return differences;
}

absl::Status MessageLog::MakeMissing(std::span<const TopicSpec> topics,
                                     std::vector<std::string>* differences) {
  differences->clear();
  std::vector<std::unique_ptr<LogTopic>> made;
  rocksdb::WriteBatch batch;
  absl::MutexLock lock(&topics_mutex_);
  uint32_t next_id = static_cast<uint32_t>(topics_.size());
  for (const TopicSpec& wanted : topics) {
    if (const auto found = topics_.find(wanted.name); found != topics_.end()) {
      CompareTopics(found->second->spec, wanted, differences);
      continue;
    }
    if (wanted.name.empty() || wanted.partitions < 1) {
      return FatalError("create topic '{}' with {} partitions: it needs a name and a partition",
                        wanted.name, wanted.partitions);
    }
    auto topic = std::make_unique<LogTopic>();
    topic->id = next_id++;
    topic->spec = wanted;
    MakePartitions(topic.get());
    const rocksdb::Status put =
        batch.Put(database_.meta(), std::string(kTopicPrefix) + wanted.name, EncodeTopic(*topic));
    if (!put.ok()) return database_.ToStatus(put, "create topics");
    made.push_back(std::move(topic));
  }
  if (made.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(database_.Write(&batch, "create topics"));
  for (auto& topic : made) {
    std::string name = topic->spec.name;
    topics_[std::move(name)] = std::move(topic);
  }
  return absl::OkStatus();
}

const LogTopic* MessageLog::FindTopic(std::string_view name) const {
  absl::MutexLock lock(&topics_mutex_);
  const auto found = topics_.find(name);
  return found == topics_.end() ? nullptr : found->second.get();
}

absl::StatusOr<LogPartition*> MessageLog::FindPartition(std::string_view topic,
                                                        PartitionId partition) const {
  const LogTopic* const found = FindTopic(topic);
  if (found == nullptr) return FatalError("topic '{}': it does not exist", topic);
  LogPartition* const log = found->Find(partition);
  if (log != nullptr) return log;
  return FatalError("topic '{}' partition {}: it has {} partitions", topic, partition,
                    found->partitions.size());
}

absl::Status MessageLog::AppendAll(std::span<Append> appends, Duration timeout) {
  size_t bytes = 0;
  for (const Append& append : appends) bytes += append.batch->body().size() + kAroundBatch;
  rocksdb::WriteBatch batch(bytes);
  std::string packed;
  absl::Status status;
  for (Append& append : appends) {
    LogPartition& partition = *append.partition;
    append.first = Offset(partition.tail);
    partition.tail += append.batch->count();
    partition.newest_time = std::max(partition.newest_time, append.batch->newest_time());
    partition.log_bytes += StoredBatchHead::kBytes + append.batch->body().size();
    const StoredBatchHead head{.count = append.batch->count(),
                               .base_time = append.batch->base_time(),
                               .newest_time = partition.newest_time,
                               .log_bytes = partition.log_bytes};
    PackBatch(head, append.batch->body(), &packed);
    const BatchKey key(partition, Offset(partition.tail - 1));
    status.Update(database_.ToStatus(batch.Put(database_.log(), key.slice(), packed), "append to"));
  }
  if (status.ok()) {
    status = database_.WhenWritable(timeout, [&] { return database_.Write(&batch, "append to"); });
  }
  for (const Append& append : appends) {
    LogPartition& partition = *append.partition;
    if (status.ok()) {
      partition.end = partition.tail;
    } else {
      partition.tail = partition.end;
    }
  }
  if (!status.ok()) return status;
  absl::InlinedVector<Signal*, 4> raised;
  for (const Append& append : appends) {
    Signal* const changed = &append.partition->changed;
    if (std::find(raised.begin(), raised.end(), changed) == raised.end()) raised.push_back(changed);
  }
  for (Signal* const changed : raised) changed->Raise();
  return status;
}

void MessageLog::HurryPolls() {
  polls_hurry_ = true;
  absl::MutexLock lock(&topics_mutex_);
  for (const auto& [name, topic] : topics_) topic->changed.Raise();
}

MessageLog::View::View(const MessageLog& log)
    : database_(log.database_), batches_(log.database_.db().NewIterator({}, log.database_.log())) {}

MessageLog::View::~View() = default;

absl::Status MessageLog::View::Read(const LogPartition& partition, Offset offset, LogBatch* batch) {
  const BatchKey key(partition, offset);
  batches_->Seek(key.slice());
  RETURN_IF_ERROR(database_.ToStatus(batches_->status(), "read"));
  StoredBatchHead head;
  const bool found = batches_->Valid() && batches_->key().starts_with(key.partition());
  if (found && head.Decode(ToView(batches_->value())) &&
      UnpackBatch(ToView(batches_->value()), &batch->stored)) {
    batch->last = LastOffsetOf(batches_->key());
    batch->first = Offset(batch->last.value() + 1 - head.count);
    if (head.count > 0 && batch->first <= offset) return absl::OkStatus();
  }
  if (offset.value() < partition.start) {
    return absl::OutOfRangeError("the log's start has moved on");
  }
  return Corrupt(database_, partition, offset);
}

absl::StatusOr<Offset> MessageLog::FirstKept(const TopicSpec& spec, const LogPartition& partition) {
  Offset low(partition.start);
  Offset high(partition.end);
  if (low == high) return low;
  View view(*this);
  LogBatch batch;
  StoredBatchCursor cursor;
  RETURN_IF_ERROR(view.Read(partition, Offset(high.value() - 1), &batch));
  CHECK(cursor.Open(batch.stored));
  const uint64_t end_bytes = cursor.head().log_bytes;
  const WallTime now = clock_.Wall();
  // Times and bytes only grow along the log, so what is expired is its beginning.
  const auto is_expired = [&](const StoredBatchHead& head) {
    if (spec.retention > Duration::zero() && now - head.newest_time > spec.retention) return true;
    return spec.retention_bytes > 0 &&
           end_bytes - head.log_bytes >= static_cast<uint64_t>(spec.retention_bytes);
  };
  for (Offset at = low; low < high; at = low + (high - low) / 2) {
    RETURN_IF_ERROR(view.Read(partition, at, &batch));
    CHECK(cursor.Open(batch.stored));
    if (is_expired(cursor.head())) {
      low = batch.last + 1;
    } else {
      high = std::max(low, batch.first);
    }
  }
  return low;
}

absl::Status MessageLog::ApplyRetention() {
  absl::MutexLock lock(&retention_mutex_);
  std::vector<const LogTopic*> topics;
  {
    absl::MutexLock topics_lock(&topics_mutex_);
    for (const auto& [name, topic] : topics_) topics.push_back(topic.get());
  }
  std::vector<Cut> cuts;
  for (const LogTopic* topic : topics) {
    if (topic->spec.retention <= Duration::zero() && topic->spec.retention_bytes <= 0) continue;
    for (const auto& partition : topic->partitions) {
      ASSIGN_OR_RETURN(const Offset start, FirstKept(topic->spec, *partition));
      if (start.value() > partition->start) cuts.push_back({partition.get(), start});
    }
  }
  return Delete(cuts);
}

absl::Status MessageLog::DeleteBefore(std::span<const LogStart> starts) {
  absl::MutexLock lock(&retention_mutex_);
  std::vector<Cut> cuts;
  for (const auto& [topic, partition, start] : starts) {
    ASSIGN_OR_RETURN(LogPartition* const log, FindPartition(topic, partition));
    if (start.value() < log->start || start.value() > log->end) {
      return FatalError("delete from topic '{}' partition {}: offset {} is not in its log", topic,
                        partition, start);
    }
    cuts.push_back({log, start});
  }
  return Delete(cuts);
}

absl::Status MessageLog::Delete(std::span<const Cut> cuts) {
  if (cuts.empty()) return absl::OkStatus();
  rocksdb::WriteBatch batch;
  for (const auto& [partition, start] : cuts) {
    // Keys are last offsets: a batch that holds messages on both sides of the start stays. From
    // where the last deletion ended: ranges that lie over each other would make reads slower and
    // slower.
    const BatchKey begin(*partition, Offset(partition->erased_to));
    const BatchKey end(*partition, start);
    rocksdb::Status added = batch.DeleteRange(database_.log(), begin.slice(), end.slice());
    if (added.ok()) {
      added = batch.Put(database_.meta(), StartKey(*partition), EncodeNumber(start.value()));
    }
    RETURN_IF_ERROR(database_.ToStatus(added, "delete from"));
  }
  // Readers are told of the new start before what is below it goes.
  for (const auto& [partition, start] : cuts) partition->start = start.value();
  RETURN_IF_ERROR(database_.WhenWritable(kDeletePatience,
                                         [&] { return database_.Write(&batch, "delete from"); }));
  for (const auto& [partition, start] : cuts) partition->erased_to = start.value();
  return absl::OkStatus();
}

}  // namespace orbweaver
