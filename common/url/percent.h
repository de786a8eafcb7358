// Percent-encoding in its one canonical form (RFC 3986, section 6.2.2).
#pragma once

#include <string>
#include <string_view>

namespace orbweaver {

// Appends `text` with escapes of unreserved characters decoded and the hexadecimal digits of all
// others in upper case. A percent sign that begins no escape stays as it is, and nothing is decoded
// that would make it begin one (`%%341` is not `%41`), so that appending the result again would
// change nothing.
void AppendPercentCanonical(std::string_view text, std::string* out);

// Whether that surely changes nothing: each percent sign begins an escape in its canonical form.
bool IsPercentCanonical(std::string_view text);

}  // namespace orbweaver
