#include "common/base/utf8.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace orbweaver {
namespace {

bool IsContinuation(unsigned char byte) { return (byte & 0xc0) == 0x80; }

// The length of the character at `p`, 0 when there is none (RFC 3629, section 4).
size_t CharacterLength(const unsigned char* p, size_t left) {
  const unsigned char lead = p[0];
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;  // a continuation, or an overlong form of ASCII
  if (lead < 0xe0) return left >= 2 && IsContinuation(p[1]) ? 2 : 0;
  if (lead < 0xf0) {
    if (left < 3 || !IsContinuation(p[1]) || !IsContinuation(p[2])) return 0;
    if (lead == 0xe0 && p[1] < 0xa0) return 0;   // overlong
    if (lead == 0xed && p[1] >= 0xa0) return 0;  // a surrogate
    return 3;
  }
  if (lead > 0xf4 || left < 4) return 0;
  if (!IsContinuation(p[1]) || !IsContinuation(p[2]) || !IsContinuation(p[3])) return 0;
  if (lead == 0xf0 && p[1] < 0x90) return 0;   // overlong
  if (lead == 0xf4 && p[1] >= 0x90) return 0;  // past U+10FFFF
  return 4;
}

uint64_t LoadWord(const unsigned char* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// How many bytes at the start are ASCII: most of what is crawled is so nearly throughout, and is
// looked at eight bytes at a time.
size_t AsciiPrefix(const unsigned char* p, size_t size) {
  constexpr uint64_t kHighBits = 0x8080808080808080u;
  static_assert(std::endian::native == std::endian::little);
  size_t i = 0;
  for (; i + 16 <= size; i += 16) {
    if (((LoadWord(p + i) | LoadWord(p + i + 8)) & kHighBits) != 0) break;
  }
  for (; i + 8 <= size; i += 8) {
    const uint64_t high = LoadWord(p + i) & kHighBits;
    if (high != 0) return i + static_cast<size_t>(std::countr_zero(high)) / 8;
  }
  while (i < size && p[i] < 0x80) ++i;
  return i;
}

}  // namespace

bool IsValidUtf8(std::string_view text) {
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  size_t i = AsciiPrefix(p, text.size());
  while (i < text.size()) {
    const size_t length = CharacterLength(p + i, text.size() - i);
    if (length == 0) return false;
    i += length;
    if (i < text.size() && p[i] < 0x80) i += AsciiPrefix(p + i, text.size() - i);
  }
  return true;
}

std::string_view ClampUtf8(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t end = max_bytes;
  while (end > 0 && IsContinuation(static_cast<unsigned char>(text[end]))) --end;
  return text.substr(0, end);
}

}  // namespace orbweaver
