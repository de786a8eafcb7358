// Percent-encoding in its one canonical form (RFC 3986, section 6.2.2).
#pragma once

#include <string>
#include <string_view>

namespace orbweaver {

// RFC 3986's letters, digits and `-._~`, which need no escape anywhere.
constexpr bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

// Appends `c` as an escape: `%2F`.
void AppendPercentEscape(char c, std::string* out);

// Appends `text` with escapes of unreserved characters decoded and the hexadecimal digits of all
// others in upper case. A percent sign that begins no escape stays as it is, and nothing is decoded
// that would make it begin one (`%%341` is not `%41`), so that appending the result again would
// change nothing.
void AppendPercentCanonical(std::string_view text, std::string* out);

// Whether that surely changes nothing: each percent sign begins an escape in its canonical form.
bool IsPercentCanonical(std::string_view text);

}  // namespace orbweaver
