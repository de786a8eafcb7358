// Letters and white space as HTML, XML and HTTP understand them: ASCII, whatever the locale.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace orbweaver {

constexpr char LowerAscii(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}
constexpr bool IsAsciiLetter(char c) {
  const char lower = LowerAscii(c);
  return lower >= 'a' && lower <= 'z';
}
constexpr bool IsSpace(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

inline bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return LowerAscii(x) == LowerAscii(y);
         });
}
inline bool StartsWithIgnoreCase(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && EqualsIgnoreCase(text.substr(0, prefix.size()), prefix);
}
inline bool EndsWithIgnoreCase(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && EqualsIgnoreCase(text.substr(text.size() - end.size()), end);
}

inline std::string_view TrimSpace(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// Takes the next of `text`'s parts, which stand between bytes of `separators`; parts may be empty.
// Trimmed. False when there is none left.
inline bool NextPart(std::string_view* text, std::string_view separators, std::string_view* part) {
  if (text->data() == nullptr) return false;
  const size_t end = text->find_first_of(separators);
  *part = TrimSpace(text->substr(0, end));
  *text = end == std::string_view::npos ? std::string_view() : text->substr(end + 1);
  return true;
}

}  // namespace orbweaver
