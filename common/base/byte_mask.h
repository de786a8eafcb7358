// Which of 64 bytes are of a kind, as a number: a bit for each, the lowest for the first. What
// looks through whole pages goes by these instead of by bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace orbweaver {

inline constexpr size_t kMaskBytes = 64;

// Of the 64 bytes at `p`, those that are one of `kBytes`.
template <char... kBytes>
uint64_t MaskOf(const char* p) {
  uint64_t mask = 0;
#ifdef __SSE2__
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p) + i);
    const __m128i equal = (_mm_cmpeq_epi8(bytes, _mm_set1_epi8(kBytes)) | ...);
    mask |= uint64_t{static_cast<uint16_t>(_mm_movemask_epi8(equal))} << (16 * i);
  }
#else
  for (size_t i = 0; i < kMaskBytes; ++i) mask |= uint64_t{((p[i] == kBytes) || ...)} << i;
#endif
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
