// Records and messages of the bus.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "common/base/ids.h"

namespace orbweaver {

// Key, value and headers of one record together, at most. Topics are created so that they take it.
inline constexpr size_t kMaxRecordBytes = size_t{8} << 20;

struct Header {
  std::string_view name;
  std::string_view value;
};

// To be produced. Views live for the call. Keys, values and headers are any bytes, or empty; a
// header's name is printable text, not empty, and may come again.
struct Record {
  std::string_view topic;
  PartitionId partition;
  std::string_view key;
  std::string_view value;
  std::span<const Header> headers;
};

// One of many to be produced together.
struct KeyValue {
  std::string_view key;
  std::string_view value;
};

// As consumed. Views live as long as the batch.
struct Message {
  PartitionId partition;
  Offset offset;
  WallTime time;  // when it was produced
  std::string_view key;
  std::string_view value;
  std::span<const Header> headers;
};

// Empty when the message has no header of that name, or an empty one.
inline std::string_view HeaderOf(const Message& message, std::string_view name) {
  for (const Header& header : message.headers) {
    if (header.name == name) return header.value;
  }
  return {};
}

// The result of one Poll and the memory behind it: implementations keep their own buffers there
// instead of copying. Ascending offsets within a partition; partitions in any order.
class MessageBatch {
 public:
  // The owner of the bytes that the messages point to.
  class Memory {
   public:
    virtual ~Memory() = default;
  };

  std::span<const Message> messages() const { return messages_; }
  bool empty() const { return messages_.empty(); }

  void Clear() {
    messages_.clear();
    memory_.reset();
  }

  // For implementations. The vector's capacity is kept from poll to poll: take it with
  // TakeMessages, fill it, Set it.
  std::vector<Message> TakeMessages() {
    Clear();
    return std::move(messages_);
  }
  void Set(std::vector<Message> messages, std::unique_ptr<Memory> memory) {
    messages_ = std::move(messages);
    memory_ = std::move(memory);
  }

 private:
  std::vector<Message> messages_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace orbweaver
