#include "tests/support/synthetic_web/http_date.h"

#include <ctime>

#include "fmt/format.h"

namespace orbweaver::synthetic {

void AppendHttpDate(int64_t unix_s, std::string* out) {
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const time_t time = unix_s;
  tm parts{};
  gmtime_r(&time, &parts);
  fmt::format_to(std::back_inserter(*out), "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                 kDays[parts.tm_wday], parts.tm_mday, kMonths[parts.tm_mon], parts.tm_year + 1900,
                 parts.tm_hour, parts.tm_min, parts.tm_sec);
}

int64_t ParseHttpDate(std::string_view text) {
  if (text.empty()) return kNoDate;
  tm parts{};
  const std::string terminated(text);
  const char* const end = strptime(terminated.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return end != nullptr && *end == '\0' ? static_cast<int64_t>(timegm(&parts)) : kNoDate;
}

}  // namespace orbweaver::synthetic
