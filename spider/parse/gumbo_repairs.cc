#include "spider/parse/gumbo_repairs.h"

#include <algorithm>

#include "spider/parse/ascii.h"

namespace orbweaver {
namespace {

// No number of so many digits is a character's.
constexpr size_t kTooManyDigits = 8;
constexpr size_t kTooManyHexDigits = 7;

bool IsDigit(char c, bool hexadecimal) {
  const char lower = LowerAscii(c);
  return (c >= '0' && c <= '9') || (hexadecimal && lower >= 'a' && lower <= 'f');
}

}  // namespace

std::string_view RepairForGumbo(std::string_view html, std::span<const size_t> nul_names,
                                std::string* repaired) {
  repaired->clear();
  const auto change = [&](size_t at, size_t size, char c) {
    if (repaired->empty()) repaired->assign(html);
    std::fill_n(repaired->begin() + static_cast<ptrdiff_t>(at), size, c);
  };
  // Any other byte makes it a name that nobody looks for.
  for (const size_t at : nul_names) {
    if (at < html.size()) change(at, 1, '\x01');
  }
  for (size_t at = html.find("&#"); at != std::string_view::npos; at = html.find("&#", at)) {
    at += 2;
    const bool hexadecimal = at < html.size() && LowerAscii(html[at]) == 'x';
    if (hexadecimal) ++at;
    size_t first = at;
    while (first < html.size() && html[first] == '0') ++first;
    size_t end = first;
    while (end < html.size() && IsDigit(html[end], hexadecimal)) ++end;
    const size_t digits = end - first;
    // The number 0 is no character either, and both become U+FFFD.
    if (digits >= (hexadecimal ? kTooManyHexDigits : kTooManyDigits)) change(first, digits, '0');
    at = end;
  }
  return repaired->empty() ? html : *repaired;
}

}  // namespace orbweaver
