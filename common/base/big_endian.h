// Integers as bytes that sort as the integers do: rows, columns and offsets in the store.
#pragma once

#include <bit>
#include <concepts>
#include <cstring>
#include <string>

namespace orbweaver {

template <std::unsigned_integral T>
constexpr T ByteSwapToBigEndian(T value) {
  static_assert(std::endian::native == std::endian::little);
  if constexpr (sizeof(T) == 1) return value;
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
}

template <std::unsigned_integral T>
void StoreBigEndian(T value, char* out) {
  value = ByteSwapToBigEndian(value);
  std::memcpy(out, &value, sizeof value);
}

template <std::unsigned_integral T>
T LoadBigEndian(const char* in) {
  T value;
  std::memcpy(&value, in, sizeof value);
  return ByteSwapToBigEndian(value);
}

template <std::unsigned_integral T>
void AppendBigEndian(T value, std::string* out) {
  char bytes[sizeof value];
  StoreBigEndian(value, bytes);
  out->append(bytes, sizeof bytes);
}

}  // namespace orbweaver
