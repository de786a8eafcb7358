#include "spider/parse/character_reference.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "spider/parse/ascii.h"
#include "spider/parse/write_utf8.h"

namespace orbweaver {
namespace {

// The standard's table of names is Lexbor's, and this the type that it is made of: one of our own
// under its name, because a table of theirs is C that C++ does not take. Each entry is a letter
// that may come next, in a search tree of those that may stand in its place.
struct lexbor_sbst_entry_static_t {
  unsigned char key;
  const char* value;  // what the name that ends here stands for; null when none does
  uint8_t value_len;
  // Indices; 0 is none.
  uint16_t left;
  uint16_t right;
  uint16_t next;  // the root of the letters behind this one
};
#include "lexbor/html/tokenizer/res.h"
constexpr const auto& kEntries = lxb_html_tokenizer_res_entities_sbst;
using Entry = lexbor_sbst_entry_static_t;

// `letter` among those of the tree that begins at `root`; null when it is not.
const Entry* FindLetter(size_t root, char letter) {
  const auto key = static_cast<unsigned char>(letter);
  for (size_t at = root; at != 0;) {
    const Entry& entry = kEntries[at];
    if (entry.key == key) return &entry;
    at = key > entry.key ? entry.right : entry.left;
  }
  return nullptr;
}

constexpr uint32_t kReplacement = 0xfffd;
constexpr uint32_t kLastCodePoint = 0x10ffff;

// The characters that the numbers 0x80 to 0x9f stand for: those of windows-1252. 0: the number's
// own.
constexpr uint16_t kWindows1252[] = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};
static_assert(std::size(kWindows1252) == 0x20);

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// -1 when it is none.
constexpr int DigitValue(char c, bool hexadecimal) {
  if (IsDigit(c)) return c - '0';
  const char lower = LowerAscii(c);
  return hexadecimal && lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

uint32_t CodePointOf(uint32_t number) {
  if (number == 0 || number > kLastCodePoint || (number >= 0xd800 && number <= 0xdfff)) {
    return kReplacement;
  }
  if (number >= 0x80 && number < 0xa0 && kWindows1252[number - 0x80] != 0) {
    return kWindows1252[number - 0x80];
  }
  return number;
}

// `text` begins with "&#".
CharacterReference ReadNumber(std::string_view text) {
  size_t at = 2;
  const bool hexadecimal = at < text.size() && LowerAscii(text[at]) == 'x';
  if (hexadecimal) ++at;
  const size_t first = at;
  uint32_t number = 0;
  for (int digit = 0; at < text.size(); ++at) {
    digit = DigitValue(text[at], hexadecimal);
    if (digit < 0) break;
    // It stays where it is once it is past all characters, however many digits follow.
    if (number <= kLastCodePoint) {
      number = number * (hexadecimal ? 16 : 10) + static_cast<uint32_t>(digit);
    }
  }
  CharacterReference reference;
  if (at == first) return reference;
  if (at < text.size() && text[at] == ';') ++at;
  reference.size = at;
  char* const end = WriteUtf8(CodePointOf(number), reference.bytes.data());
  reference.text_size = static_cast<size_t>(end - reference.bytes.data());
  return reference;
}

// The longest name of the table that `text` has behind its "&".
CharacterReference ReadName(std::string_view text, bool in_attribute) {
  const Entry* match = nullptr;
  CharacterReference reference;
  size_t next = 1;  // the root of the first letters
  for (size_t at = 1; at < text.size() && next != 0; ++at) {
    const Entry* const letter = FindLetter(next, text[at]);
    if (letter == nullptr) break;
    if (letter->value != nullptr) {
      match = letter;
      reference.size = at + 1;
    }
    next = letter->next;
  }
  if (match == nullptr) return reference;
  if (in_attribute && match->key != ';' && reference.size < text.size()) {
    const char behind = text[reference.size];
    if (behind == '=' || IsDigit(behind) || IsAsciiLetter(behind)) return {};
  }
  reference.text_size = std::min<size_t>(match->value_len, reference.bytes.size());
  std::copy_n(match->value, reference.text_size, reference.bytes.data());
  return reference;
}

}  // namespace

CharacterReference ReadCharacterReference(std::string_view text, bool in_attribute) {
  if (text.size() < 2) return {};
  return text[1] == '#' ? ReadNumber(text) : ReadName(text, in_attribute);
}

}  // namespace orbweaver
