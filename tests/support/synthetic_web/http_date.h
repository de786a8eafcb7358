// Dates as HTTP writes them (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace orbweaver::synthetic {

void AppendHttpDate(int64_t unix_s, std::string* out);

// Unix time; kNoDate when `text` is not a date.
inline constexpr int64_t kNoDate = std::numeric_limits<int64_t>::min();
int64_t ParseHttpDate(std::string_view text);

}  // namespace orbweaver::synthetic
