// Masks of the bytes of a kind among up to 64 bytes: one bit a byte, the lowest bit for the first
// byte. Scanners of whole pages use these masks instead of a loop over bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace orbweaver {

inline constexpr size_t kMaskBytes = 64;

#ifdef __SSE2__
// Of 16 bytes, those that are one of `kBytes`.
template <char... kBytes>
uint64_t MaskOfVector(__m128i bytes) {
  const __m128i equal = (_mm_cmpeq_epi8(bytes, _mm_set1_epi8(kBytes)) | ...);
  return static_cast<uint16_t>(_mm_movemask_epi8(equal));
}
#endif

// Of the 16 bytes at `p`, those that are one of `kBytes`.
template <char... kBytes>
uint64_t MaskOf16(const char* p) {
#ifdef __SSE2__
  return MaskOfVector<kBytes...>(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
#else
  uint64_t mask = 0;
  for (size_t i = 0; i < 16; ++i) mask |= uint64_t{((p[i] == kBytes) || ...)} << i;
  return mask;
#endif
}

// Of the 16 bytes at `p`, those that are `kFrom` or above, as unsigned numbers.
template <unsigned char kFrom>
uint64_t MaskOf16From(const char* p) {
#ifdef __SSE2__
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m128i from = _mm_set1_epi8(static_cast<char>(kFrom));
  return static_cast<uint16_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(bytes, from), bytes)));
#else
  uint64_t mask = 0;
  for (size_t i = 0; i < 16; ++i) {
    mask |= uint64_t{static_cast<unsigned char>(p[i]) >= kFrom} << i;
  }
  return mask;
#endif
}

// As MaskOf16, of the 64 bytes at `p`.
template <char... kBytes>
uint64_t MaskOf(const char* p) {
  uint64_t mask = 0;
  for (int i = 0; i < 4; ++i) mask |= MaskOf16<kBytes...>(p + 16 * i) << (16 * i);
  return mask;
}

// The same of less than 64 bytes: no other memory is read, and the bits above are 0.
template <char... kBytes>
uint64_t MaskOf(const char* p, size_t size) {
  uint64_t mask = 0;
  if (size >= 16) {
    for (size_t i = 0; i + 16 <= size; i += 16) mask |= MaskOf16<kBytes...>(p + i) << i;
    // The last 16 bytes cover the rest and overlap bytes that are in the mask already.
    return mask | MaskOf16<kBytes...>(p + size - 16) << (size - 16);
  }
#ifdef __SSE2__
  if (size >= 8) {
    const __m128i first = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    const __m128i last = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p + size - 8));
    mask = MaskOfVector<kBytes...>(_mm_unpacklo_epi64(first, last));
    return (mask & 0xff) | (mask >> 8) << (size - 8);
  }
  if (size >= 4) {
    uint32_t first = 0, last = 0;
    std::memcpy(&first, p, sizeof first);
    std::memcpy(&last, p + size - sizeof last, sizeof last);
    mask = MaskOfVector<kBytes...>(
        _mm_cvtsi64_si128(static_cast<int64_t>(uint64_t{last} << 32 | first)));
    return (mask & 0xf) | (mask >> 4 & 0xf) << (size - 4);
  }
#endif
  for (size_t i = 0; i < size; ++i) mask |= uint64_t{((p[i] == kBytes) || ...)} << i;
  return mask;
}

// Those that are not ASCII.
inline uint64_t NotAsciiMask(const char* p) {
  uint64_t mask = 0;
#ifdef __SSE2__
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p) + i);
    mask |= uint64_t{static_cast<uint16_t>(_mm_movemask_epi8(bytes))} << (16 * i);
  }
#else
  for (size_t i = 0; i < kMaskBytes; ++i) mask |= uint64_t{(p[i] & 0x80) != 0} << i;
#endif
  return mask;
}

}  // namespace orbweaver
