// Consecutive messages of one partition as one value of the log: what makes half a million small
// messages a second possible is that RocksDB sees a few thousand values instead.
//
// A batch is a fixed head, then the messages one after the other: varints (key's, value's, headers'
// count, time since the head's), then their bytes. As a value of the log it is packed: what follows
// the head may be compressed, as the highest bit of the head's count says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/byte_format.h"
#include "common/base/clock.h"
#include "common/bus/message.h"

namespace orbweaver {

struct StoredBatchHead {
  static constexpr size_t kBytes = 28;

  uint32_t count = 0;
  WallTime base_time;  // of the first message
  // Of this partition up to and with this batch, ever growing: what retention searches by.
  WallTime newest_time;
  uint64_t log_bytes = 0;

  // Of a batch, packed or not. False when it is cut short.
  [[nodiscard]] bool Decode(std::string_view stored);
};

// Replaces *packed by the log's value of a batch with this head and body.
void PackBatch(const StoredBatchHead& head, std::string_view body, std::string* packed);
// Replaces *batch by what a StoredBatchCursor reads. False when the bytes are corrupt.
[[nodiscard]] bool UnpackBatch(std::string_view packed, std::string* batch);

// Collects messages as they are sent. Not thread-safe.
class StoredBatchBuilder {
 public:
  void Add(const Record& record, WallTime time);

  uint32_t count() const { return count_; }
  WallTime base_time() const { return base_time_; }
  WallTime newest_time() const { return newest_time_; }
  std::string_view body() const { return body_; }

 private:
  uint32_t count_ = 0;
  WallTime base_time_;
  WallTime newest_time_;
  std::string body_;
};

// The headers of many messages, in a few blocks that do not move.
class HeaderArena {
 public:
  // Valid until the arena is destroyed.
  std::span<Header> Allocate(size_t count);

 private:
  std::vector<std::vector<Header>> blocks_;
};

// Reads an unpacked batch. Nothing on a disk is trusted: what does not fit is told, never read
// beyond. Not thread-safe; `stored` must outlive it and all that it returned.
class StoredBatchCursor {
 public:
  // False when the head is cut short.
  [[nodiscard]] bool Open(std::string_view stored);
  const StoredBatchHead& head() const { return head_; }

  bool done() const { return read_ == head_.count; }
  // Key and value of the next message together, without moving; 0 when it cannot be read.
  size_t NextBytes() const;
  // Fills all but partition and offset, whose meaning is the caller's. False when the bytes are
  // corrupt.
  [[nodiscard]] bool Next(HeaderArena* headers, Message* message);
  [[nodiscard]] bool Skip();

 private:
  struct Sizes {
    uint64_t key, value, headers;
    int64_t time_ms;
  };
  // in->ok() says whether they can be right.
  static Sizes ReadSizes(ByteReader* in);

  StoredBatchHead head_;
  ByteReader left_{std::string_view()};
  uint32_t read_ = 0;
};

}  // namespace orbweaver
