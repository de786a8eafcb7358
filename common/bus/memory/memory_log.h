// The topics of a simulated bus.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "common/bus/bus.h"
#include "common/bus/message.h"
#include "common/bus/offset_reader.h"

namespace orbweaver {

// Whether a record in a log has bytes of its own, or those of who appended it, which must then stay
// until the log has dropped the record and no batch has it.
enum class RecordBytes : uint8_t { kCopied, kBorrowed };

// A record in a log, immutable; batches share it.
class StoredRecord {
 public:
  StoredRecord(const Record& record, WallTime time, RecordBytes bytes);
  StoredRecord(const StoredRecord&) = delete;
  StoredRecord& operator=(const StoredRecord&) = delete;

  size_t bytes() const { return key.size() + value.size(); }

  const WallTime time;
  std::string_view key;
  std::string_view value;
  std::span<const Header> headers;

 private:
  void Copy(const Record& record);

  // All that was copied, in one piece.
  std::unique_ptr<char[]> bytes_;
  std::vector<Header> headers_;
};

// A partition: what was appended and not cut off.
class PartitionLog {
 public:
  LogBounds bounds() const { return {start_, start_ + static_cast<int64_t>(records_.size())}; }

  Offset Append(std::shared_ptr<const StoredRecord> record);

  // `offset` within the bounds.
  const std::shared_ptr<const StoredRecord>& At(Offset offset) const {
    return records_[static_cast<size_t>(offset - start_)];
  }

  // Drops what is below `start`, as retention does; all there is, when `start` is above the end.
  void Cut(Offset start);

 private:
  Offset start_{0};
  std::deque<std::shared_ptr<const StoredRecord>> records_;
};

// Place: inside MemoryBroker, whose lock guards it.
class MemoryLog {
 public:
  // Creates `spec`, or appends how what exists differs from it.
  void Ensure(const TopicSpec& spec, std::vector<std::string>* differences);

  // 0 when the topic does not exist.
  int PartitionCount(std::string_view topic) const;

  // Fatal when the topic or the partition does not exist.
  absl::StatusOr<PartitionLog*> Find(std::string_view topic, PartitionId partition);

 private:
  struct Topic {
    TopicSpec spec;
    std::vector<PartitionLog> partitions;
  };
  std::map<std::string, Topic, std::less<>> topics_;
};

}  // namespace orbweaver
