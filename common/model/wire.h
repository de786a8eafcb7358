// The Protocol Buffers wire format: varints, fixed integers, lengths. message_codec.h knows what
// the fields mean. https://protobuf.dev/programming-guides/encoding/
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "common/model/encode_buffer.h"

namespace orbweaver::wire {

enum class WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

constexpr uint32_t MakeTag(uint32_t number, WireType type) {
  return number << 3 | static_cast<uint32_t>(type);
}
constexpr uint32_t NumberOf(uint32_t tag) { return tag >> 3; }

constexpr size_t VarintBytes(uint64_t value) {
  return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
}

// The reason why a message is malformed; empty for a good one. `return fault.Set(…)` ends a bool
// function.
class Fault {
 public:
  bool Set(std::string cause) {
    cause_ = std::move(cause);
    return false;
  }
  // Called on the way out, innermost field first.
  bool Within(std::string_view field);

  // `links_found.links.url: 3000 bytes, at most 2048`
  std::string Describe() const;

 private:
  std::string path_;
  std::string cause_;
};

// Reads one message's bytes. Every method returns false on a fault.
class Reader {
 public:
  Reader(std::string_view bytes, Fault& fault)
      : next_(bytes.data()), end_(bytes.data() + bytes.size()), fault_(fault) {}

  bool AtEnd() const { return next_ == end_; }
  const char* position() const { return next_; }
  Fault& fault() { return fault_; }

  // A tag of a field number from 1 to 2^29 - 1 with a known wire type; groups are refused.
  bool ReadTag(uint32_t* tag) {
    if (!AtEnd() && static_cast<unsigned char>(*next_) < 0x80) {
      *tag = static_cast<unsigned char>(*next_++);
    } else if (!ReadLongTag(tag)) {
      return false;
    }
    return IsTag(*tag) || FailTag(*tag);
  }

  bool ReadVarint(uint64_t* value) {
    if (!AtEnd() && static_cast<unsigned char>(*next_) < 0x80) {
      *value = static_cast<unsigned char>(*next_++);
      return true;
    }
    return ReadLongVarint(value);
  }

  template <typename T>
  bool ReadFixed(T* value) {
    static_assert(std::endian::native == std::endian::little);
    if (static_cast<size_t>(end_ - next_) < sizeof *value) return FailCut();
    std::memcpy(value, next_, sizeof *value);
    next_ += sizeof *value;
    return true;
  }

  // A length and so many bytes; the view points into the message.
  bool ReadBytes(std::string_view* bytes) {
    uint64_t length;
    if (!ReadVarint(&length)) return false;
    if (length > static_cast<size_t>(end_ - next_)) return FailLength(length);
    *bytes = {next_, static_cast<size_t>(length)};
    next_ += length;
    return true;
  }

  // Passes over the value of a field. The value's inside is not parsed, so nothing nests.
  bool Skip(uint32_t tag);

 private:
  static bool IsTag(uint32_t tag) {
    constexpr uint32_t kKnownTypes = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 5;
    return (kKnownTypes >> (tag & 7) & 1) != 0 && NumberOf(tag) != 0;
  }
  bool ReadLongTag(uint32_t* tag);
  bool ReadLongVarint(uint64_t* value);
  bool FailTag(uint32_t tag);
  bool FailLength(uint64_t length);
  bool FailCut();

  const char* next_;
  const char* const end_;
  Fault& fault_;
};

// Writes in front of what is written already.
class Writer {
 public:
  Writer(EncodeBuffer& buffer, Fault& fault) : buffer_(buffer), fault_(fault) {}

  size_t size() const { return buffer_.size(); }
  Fault& fault() { return fault_; }

  void PrependVarint(uint64_t value) {
    if (value < 0x80) {
      *buffer_.Prepend(1) = static_cast<char>(value);
      return;
    }
    char* out = buffer_.Prepend(VarintBytes(value));
    for (; value >= 0x80; value >>= 7) *out++ = static_cast<char>(value | 0x80);
    *out = static_cast<char>(value);
  }

  template <typename T>
  void PrependFixed(T value) {
    std::memcpy(buffer_.Prepend(sizeof value), &value, sizeof value);
  }

  void PrependRaw(std::string_view bytes) {
    if (!bytes.empty()) std::memcpy(buffer_.Prepend(bytes.size()), bytes.data(), bytes.size());
  }

  void PrependBytes(std::string_view bytes) {
    PrependRaw(bytes);
    PrependVarint(bytes.size());
  }

 private:
  EncodeBuffer& buffer_;
  Fault& fault_;
};

}  // namespace orbweaver::wire
