#include "common/url/percent.h"

#include <cstdint>

namespace orbweaver {
namespace {

// -1 when `c` is no hexadecimal digit.
int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsUpperHex(char c) { return HexValue(c) >= 0 && !(c >= 'a' && c <= 'f'); }

// Whether `text` ends with a percent sign that a digit, or two, would make an escape.
bool EndsInsideEscape(std::string_view text) {
  if (text.ends_with('%')) return true;
  return text.size() >= 2 && text[text.size() - 2] == '%' && HexValue(text.back()) >= 0;
}

}  // namespace

bool IsPercentCanonical(std::string_view text) {
  for (size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 3)) {
    const std::string_view escape = text.substr(at, 3);
    if (escape.size() < 3 || !IsUpperHex(escape[1]) || !IsUpperHex(escape[2])) return false;
    if (IsUnreserved(static_cast<char>(HexValue(escape[1]) * 16 + HexValue(escape[2])))) {
      return false;
    }
  }
  return true;
}

void AppendPercentEscape(char c, std::string* out) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out->append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
}

void AppendPercentCanonical(std::string_view text, std::string* out) {
  while (true) {
    const size_t at = text.find('%');
    out->append(text.substr(0, at));
    if (at == std::string_view::npos) return;
    text.remove_prefix(at);
    const int high = text.size() > 2 ? HexValue(text[1]) : -1;
    const int low = text.size() > 2 ? HexValue(text[2]) : -1;
    if (high < 0 || low < 0) {
      out->push_back('%');
      text.remove_prefix(1);
      continue;
    }
    const char decoded = static_cast<char>(high * 16 + low);
    if (IsUnreserved(decoded) && !(HexValue(decoded) >= 0 && EndsInsideEscape(*out))) {
      out->push_back(decoded);
    } else {
      AppendPercentEscape(decoded, out);
    }
    text.remove_prefix(3);
  }
}

}  // namespace orbweaver
