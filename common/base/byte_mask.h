// Masks of the bytes of a kind among up to 64 bytes: one bit a byte, the lowest bit for the first
// byte. Scanners of whole pages use these masks instead of a loop over bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace orbweaver {

inline constexpr size_t kMaskBytes = 64;

// Of the 16 bytes at `p`, those that are one of `kBytes`.
template <char... kBytes>
uint64_t MaskOf16(const char* p) {
#ifdef __SSE2__
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m128i equal = (_mm_cmpeq_epi8(bytes, _mm_set1_epi8(kBytes)) | ...);
  return static_cast<uint16_t>(_mm_movemask_epi8(equal));
#else
  uint64_t mask = 0;
  for (size_t i = 0; i < 16; ++i) mask |= uint64_t{((p[i] == kBytes) || ...)} << i;
  return mask;
#endif
}

// The same of the 64 bytes at `p`.
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
    const __m128i both = _mm_unpacklo_epi64(first, last);
    const __m128i equal = (_mm_cmpeq_epi8(both, _mm_set1_epi8(kBytes)) | ...);
    mask = static_cast<uint16_t>(_mm_movemask_epi8(equal));
    return (mask & 0xff) | (mask >> 8) << (size - 8);
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
