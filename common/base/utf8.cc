#include "common/base/utf8.h"

#include <algorithm>
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

// Where characters begin in a block that are more than a byte: by the bytes that each needs.
struct Leads {
  uint64_t of_two_or_more = 0;
  uint64_t of_three = 0;
  // The second byte of one is wrong: the form is too long, or the character a surrogate.
  bool wrong = false;
  // There are characters of four, bytes that are in none, or a second byte in the next block that
  // not every value is right for: they are to be looked at one by one.
  bool unusual = false;
};

Leads LeadsOf(const char* p) {
  Leads leads;
  uint64_t overlong = 0;
  for (size_t at = 0; at < kMaskBytes; at += 16) {
    leads.of_two_or_more |= MaskOf16From<0xc0>(p + at) << at;
    leads.of_three |= MaskOf16From<0xe0>(p + at) << at;
    overlong |= MaskOf16<'\xc0', '\xc1'>(p + at);
  }
  leads.unusual = overlong != 0;
  if (leads.of_three == 0) return leads;
  uint64_t of_four = 0, from_a0 = 0;
  for (size_t at = 0; at < kMaskBytes; at += 16) {
    of_four |= MaskOf16From<0xf0>(p + at);
    from_a0 |= MaskOf16From<0xa0>(p + at) << at;
  }
  const uint64_t e0 = MaskOf<'\xe0'>(p), ed = MaskOf<'\xed'>(p);
  leads.wrong = ((e0 << 1 & ~from_a0) | (ed << 1 & from_a0)) != 0;
  leads.unusual |= of_four != 0 || ((e0 | ed) >> 63) != 0;
  return leads;
}

// Looks at one character after the other from `at` until one ends at or behind `until`; returns
// where, 0 when something is no character.
size_t SkipCharacters(const unsigned char* p, size_t at, size_t until, std::string_view text) {
  while (at < until) {
    const size_t length = CharacterLength(p + at, text.size() - at);
    if (length == 0) return 0;
    at += length;
  }
  return at;
}

// Where the character begins that reaches beyond `at`.
size_t LeadBefore(const unsigned char* p, size_t at) {
  do {
    --at;
  } while (IsContinuation(p[at]));
  return at;
}

}  // namespace

bool IsValidUtf8(std::string_view text) {
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  size_t i = 0;
  uint64_t owed = 0;  // what the next block begins with to end the last one's last character
  for (; i + kMaskBytes <= text.size(); i += kMaskBytes) {
    const uint64_t high = NotAsciiMask(text.data() + i);
    if ((high | owed) == 0) continue;
    const Leads leads = LeadsOf(text.data() + i);
    if (leads.unusual) {
      const size_t end = SkipCharacters(p, owed == 0 ? i : LeadBefore(p, i), i + kMaskBytes, text);
      if (end == 0) return false;
      owed = (uint64_t{1} << (end - i - kMaskBytes)) - 1;
      continue;
    }
    const uint64_t continuations = leads.of_two_or_more << 1 | leads.of_three << 2 | owed;
    if (leads.wrong || (high & ~leads.of_two_or_more) != continuations) return false;
    owed = leads.of_two_or_more >> 63 | leads.of_three >> 62;
  }
  if (owed == 0 && IsAscii(p + i, text.size() - i)) return true;
  return SkipCharacters(p, owed == 0 ? i : LeadBefore(p, i), text.size(), text) != 0;
}

std::string_view ClampUtf8(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t end = max_bytes;
  while (end > 0 && IsContinuation(static_cast<unsigned char>(text[end]))) --end;
  return text.substr(0, end);
}

}  // namespace orbweaver
