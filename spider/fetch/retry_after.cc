#include "spider/fetch/retry_after.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMax = std::chrono::hours(24 * 365);
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// Two or four digits and nothing else.
bool Digits(std::string_view text, int* value) {
  const char* const end = text.data() + text.size();
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }) &&
         std::from_chars(text.data(), end, *value).ptr == end;
}

// `Sun, 06 Nov 1994 08:49:37 GMT`
std::optional<WallTime> ParseDate(std::string_view text) {
  if (text.size() != 29 || text.substr(3, 2) != ", " || !text.ends_with(" GMT")) {
    return std::nullopt;
  }
  int day = 0, year = 0, hour = 0, minute = 0, second = 0;
  const auto* const month = std::ranges::find(kMonths, text.substr(8, 3));
  if (!Digits(text.substr(5, 2), &day) || !Digits(text.substr(12, 4), &year) ||
      !Digits(text.substr(17, 2), &hour) || !Digits(text.substr(20, 2), &minute) ||
      !Digits(text.substr(23, 2), &second) || month == kMonths.end() || hour > 23 || minute > 59 ||
      second > 60) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date(
      std::chrono::year(year),
      std::chrono::month(static_cast<unsigned>(month - kMonths.begin()) + 1),
      std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return std::nullopt;
  return WallTime(std::chrono::sys_days(date)) + std::chrono::hours(hour) +
         std::chrono::minutes(minute) + std::chrono::seconds(second);
}

}  // namespace

std::optional<milliseconds> RetryAfter(std::string_view value, WallTime now) {
  if (value.empty()) return std::nullopt;
  uint64_t seconds = 0;
  const char* const end = value.data() + value.size();
  if (const auto parsed = std::from_chars(value.data(), end, seconds); parsed.ptr == end) {
    if (parsed.ec == std::errc::result_out_of_range) return kMax;
    return std::min<milliseconds>(
        kMax, std::chrono::seconds(std::min<uint64_t>(seconds, uint64_t{1} << 32)));
  }
  const std::optional<WallTime> date = ParseDate(value);
  if (!date) return std::nullopt;
  return std::clamp(milliseconds(*date - now), milliseconds(0), kMax);
}

}  // namespace orbweaver
