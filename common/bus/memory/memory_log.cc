#include "common/bus/memory/memory_log.h"

#include <algorithm>

#include "common/base/status.h"

namespace orbweaver {

StoredRecord::StoredRecord(const Record& record, WallTime produced, RecordBytes bytes)
    : time(produced), key(record.key), value(record.value), headers(record.headers) {
  if (bytes == RecordBytes::kCopied) Copy(record);
}

void StoredRecord::Copy(const Record& record) {
  size_t size = bytes();
  for (const Header& header : record.headers) size += header.name.size() + header.value.size();
  bytes_ = std::make_unique_for_overwrite<char[]>(size);
  char* next = bytes_.get();
  const auto copy = [&next](std::string_view from) {
    char* const to = next;
    next = std::ranges::copy(from, to).out;
    return std::string_view(to, from.size());
  };
  key = copy(record.key);
  value = copy(record.value);
  headers_.reserve(record.headers.size());
  for (const Header& header : record.headers) {
    headers_.push_back({copy(header.name), copy(header.value)});
  }
  headers = headers_;
}

Offset PartitionLog::Append(std::shared_ptr<const StoredRecord> record) {
  records_.push_back(std::move(record));
  return bounds().end + -1;
}

void PartitionLog::Cut(Offset start) {
  start = std::min(start, bounds().end);
  while (start_ < start) {
    records_.pop_front();
    ++start_;
  }
}

void MemoryLog::Ensure(const TopicSpec& spec, std::vector<std::string>* differences) {
  const auto [found, is_new] = topics_.try_emplace(spec.name);
  Topic& topic = found->second;
  if (is_new) {
    topic.spec = spec;
    topic.partitions.resize(static_cast<size_t>(spec.partitions));
    return;
  }
  auto compare = [&](std::string_view what, int64_t is, int64_t expected) {
    if (is == expected) return;
    differences->push_back(
        fmt::format("topic {}: {} {}, expected {}", spec.name, is, what, expected));
  };
  auto milliseconds = [](Duration d) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
  };
  compare("partitions", topic.spec.partitions, spec.partitions);
  compare("replicas", topic.spec.replication, spec.replication);
  compare("ms of retention", milliseconds(topic.spec.retention), milliseconds(spec.retention));
  compare("bytes of retention", topic.spec.retention_bytes, spec.retention_bytes);
}

int MemoryLog::PartitionCount(std::string_view topic) const {
  const auto found = topics_.find(topic);
  return found == topics_.end() ? 0 : found->second.spec.partitions;
}

absl::StatusOr<PartitionLog*> MemoryLog::Find(std::string_view topic, PartitionId partition) {
  const auto found = topics_.find(topic);
  if (found == topics_.end()) {
    return FatalError("topic '{}': it does not exist. Run `orbweaver init`.", topic);
  }
  auto& partitions = found->second.partitions;
  if (partition.value() < 0 || static_cast<size_t>(partition.value()) >= partitions.size()) {
    return FatalError("topic '{}' partition {}: the topic has {} partitions", topic, partition,
                      partitions.size());
  }
  return &partitions[static_cast<size_t>(partition.value())];
}

}  // namespace orbweaver
