#include "common/base/utf8.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "common/base/byte_mask.h"

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

template <typename Word>
Word Load(const unsigned char* p) {
  Word word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// Without a branch for each word: compilers make vector code of it, and short texts, which most
// are, end with one look at their last bytes.
bool IsAscii(const unsigned char* p, size_t size) {
  constexpr uint64_t kHighBits = 0x8080808080808080u;
  if (size >= 8) {
    uint64_t seen = Load<uint64_t>(p + size - 8);
    for (size_t i = 0; i + 8 <= size; i += 8) seen |= Load<uint64_t>(p + i);
    return (seen & kHighBits) == 0;
  }
  uint64_t seen = 0;
  if (size >= 4) {
    seen = Load<uint32_t>(p) | Load<uint32_t>(p + size - 4);
  } else if (size > 0) {
    seen = static_cast<uint64_t>(p[0] | p[size / 2] | p[size - 1]);
  }
  return (seen & kHighBits) == 0;
}

}  // namespace

bool IsValidUtf8(std::string_view text) {
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  size_t i = 0;
  // Texts of most languages are ASCII for long stretches: only the other characters are looked at
  // one by one.
  while (i + kMaskBytes <= text.size()) {
    const size_t block = i;
    i += kMaskBytes;
    for (uint64_t mask = NotAsciiMask(text.data() + block); mask != 0;) {
      const size_t at = static_cast<size_t>(std::countr_zero(mask));
      const size_t length = CharacterLength(p + block + at, text.size() - block - at);
      if (length == 0) return false;
      i = std::max(i, block + at + length);  // the last one may reach into the next block
      if (at + length >= kMaskBytes) break;
      mask &= ~uint64_t{0} << (at + length);
    }
  }
  if (i == text.size() || IsAscii(p + i, text.size() - i)) return true;
  while (i < text.size()) {
    const size_t length = CharacterLength(p + i, text.size() - i);
    if (length == 0) return false;
    i += length;
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
