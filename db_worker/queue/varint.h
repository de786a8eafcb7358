// How the queue's codecs write numbers; common/model/wire.h reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace orbweaver {

inline constexpr size_t kMaxVarintBytes = 10;

// Writes at `out`, which has room for kMaxVarintBytes; returns where it ended.
inline char* PutVarint(uint64_t value, char* out) {
  for (; value >= 0x80; value >>= 7) *out++ = static_cast<char>(value | 0x80);
  *out++ = static_cast<char>(value);
  return out;
}

inline void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

}  // namespace orbweaver
