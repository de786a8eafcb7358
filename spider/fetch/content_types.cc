#include "spider/fetch/content_types.h"

#include <algorithm>

namespace orbweaver {
namespace {

// Tries the text behind the last `*` further and further on: no pattern takes more than the product
// of both lengths.
bool Matches(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

bool ContentTypes::Wants(std::string_view content_type) const {
  std::string type(content_type.substr(0, content_type.find(';')));
  std::erase_if(type, [](char c) { return c == ' ' || c == '\t'; });
  if (type.empty()) return true;
  for (char& c : type) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return std::ranges::any_of(patterns_,
                             [&](const std::string& pattern) { return Matches(pattern, type); });
}

}  // namespace orbweaver
