#include "common/base/printable.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "fmt/format.h"

#include "common/base/utf8.h"

namespace orbweaver {
namespace {

bool IsPlainAscii(char c) { return c >= 0x20 && c < 0x7f; }

// Of the character that `text` begins with and that is not ASCII; 0: it is none.
size_t LengthOfCharacter(std::string_view text) {
  constexpr size_t kLongest = 4;
  for (size_t length = 2; length <= std::min(kLongest, text.size()); ++length) {
    if (IsValidUtf8(text.substr(0, length))) return length;
  }
  return 0;
}

// U+0080 to U+009F, with which some terminals do what ESC does.
bool IsC1(std::string_view character) {
  return character[0] == '\xc2' && static_cast<unsigned char>(character[1]) < 0xa0;
}

}  // namespace

void AppendPrintable(std::string_view text, Lines lines, std::string* out) {
  while (!text.empty()) {
    const auto plain_end = std::find_if_not(text.begin(), text.end(), IsPlainAscii);
    out->append(text.begin(), plain_end);
    text.remove_prefix(static_cast<size_t>(plain_end - text.begin()));
    if (text.empty()) return;
    const char c = text[0];
    size_t length = 1;
    if (lines == Lines::kKeep && (c == '\n' || c == '\t')) {
      *out += c;
    } else if (c == '\n') {
      *out += "\\n";
    } else if ((c & 0x80) != 0 && (length = LengthOfCharacter(text)) != 0 &&
               !IsC1(text.substr(0, length))) {
      out->append(text.substr(0, length));
    } else {
      length = std::max<size_t>(length, 1);
      for (const char byte : text.substr(0, length)) {
        fmt::format_to(std::back_inserter(*out), "\\x{:02x}", static_cast<unsigned char>(byte));
      }
    }
    text.remove_prefix(length);
  }
}

}  // namespace orbweaver
