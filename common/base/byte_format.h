// The kinds of field that our own formats are made of (cells of the store, batches of the embedded
// log): varints as in Protocol Buffers, little-endian integers, and bytes behind their length.
// common/model/wire.h has Protocol Buffers themselves.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

namespace orbweaver {

static_assert(std::endian::native == std::endian::little);

// Reads any bytes without ever passing their end. The first field that the writers below would not
// have written (a varint that is longer than needed, too) ends it: ok() is false from then on, and
// all that is read is 0 or empty. So a caller reads all fields and asks once.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes)
      : next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return ok_; }
  bool AtEnd() const { return next_ == end_; }
  size_t left() const { return static_cast<size_t>(end_ - next_); }
  const char* position() const { return next_; }

  // For the caller's own rules; false, so that it can end a bool function.
  bool Fail() {
    ok_ = false;
    next_ = end_;
    return false;
  }

  template <std::unsigned_integral T>
  T Fixed() {
    T value = 0;
    const std::string_view bytes = Raw(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

  template <std::unsigned_integral T>
  T Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (AtEnd()) break;
      const auto byte = static_cast<uint8_t>(*next_++);
      const uint64_t bits = byte & 0x7f;
      if (shift == 63 && bits > 1) break;
      value |= bits << shift;
      if (byte >= 0x80) continue;
      if ((byte == 0 && shift != 0) || value > std::numeric_limits<T>::max()) break;
      return static_cast<T>(value);
    }
    Fail();
    return 0;
  }

  // `count` bytes, as a view.
  std::string_view Raw(size_t count) {
    if (count > left()) {
      Fail();
      return {};
    }
    const char* const begin = next_;
    next_ += count;
    return {begin, count};
  }

  // Bytes behind their length, at most `max_bytes`.
  std::string_view Bytes(size_t max_bytes) {
    const auto count = Varint<uint64_t>();
    if (count > max_bytes || count > left()) {
      Fail();
      return {};
    }
    return Raw(count);
  }

 private:
  const char* next_;
  const char* end_;
  bool ok_ = true;
};

inline constexpr size_t kMaxVarintBytes = 10;

// The writers return where to go on; the caller has made room.
inline char* WriteVarint(uint64_t value, char* out) {
  for (; value >= 0x80; value >>= 7) *out++ = static_cast<char>(value | 0x80);
  *out++ = static_cast<char>(value);
  return out;
}

template <std::unsigned_integral T>
char* WriteFixed(T value, char* out) {
  std::memcpy(out, &value, sizeof value);
  return out + sizeof value;
}

inline char* WriteRaw(std::string_view bytes, char* out) {
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

inline void AppendVarint(uint64_t value, std::string* out) {
  char bytes[kMaxVarintBytes];
  out->append(bytes, static_cast<size_t>(WriteVarint(value, bytes) - bytes));
}

template <std::unsigned_integral T>
void AppendFixed(T value, std::string* out) {
  char bytes[sizeof value];
  WriteFixed(value, bytes);
  out->append(bytes, sizeof bytes);
}

inline void AppendBytes(std::string_view bytes, std::string* out) {
  AppendVarint(bytes.size(), out);
  out->append(bytes);
}

}  // namespace orbweaver
