// Text into HTML.
#pragma once

#include <string>
#include <string_view>

namespace orbweaver::lab {

// The text with what HTML has a meaning for escaped; also within double quotes.
inline std::string Html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace orbweaver::lab
