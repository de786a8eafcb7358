#include "common/parquet/json_values.h"

#include <chrono>
#include <iterator>
#include <optional>

#include "fmt/format.h"

namespace orbweaver::parquet {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

// The number that all of `text` is.
std::optional<int> Number(std::string_view text) {
  int number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = 10 * number + (c - '0');
  }
  return number;
}

// Of ".123"; none without digits.
std::optional<int> Millis(std::string_view fraction) {
  if (fraction.empty()) return 0;
  if (fraction.front() != '.' || fraction.size() < 2 || fraction.size() > 4) return std::nullopt;
  std::optional<int> millis = Number(fraction.substr(1));
  for (size_t digits = fraction.size(); millis && digits < 4; ++digits) *millis *= 10;
  return millis;
}

}  // namespace

bool FromHex(std::string_view text, std::string* bytes) {
  if (text.size() % 2 != 0) return false;
  for (size_t i = 0; i < text.size(); i += 2) {
    const size_t high = kDigits.find(text[i]);
    const size_t low = kDigits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return false;
    bytes->push_back(static_cast<char>(high << 4 | low));
  }
  return true;
}

void AppendHex(std::string_view bytes, std::string* text) {
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    text->push_back(kDigits[byte >> 4]);
    text->push_back(kDigits[byte & 15]);
  }
}

bool ParseTime(std::string_view text, int64_t* millis) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  if (text.size() <= kForm.size() || text.back() != 'Z') return false;
  for (size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] != '0' && text[i] != kForm[i]) return false;
  }
  const auto year = Number(text.substr(0, 4));
  const auto month = Number(text.substr(5, 2));
  const auto day = Number(text.substr(8, 2));
  const auto hour = Number(text.substr(11, 2));
  const auto minute = Number(text.substr(14, 2));
  const auto second = Number(text.substr(17, 2));
  const auto fraction = Millis(text.substr(kForm.size(), text.size() - kForm.size() - 1));
  if (!year || !month || !day || !hour || !minute || !second || !fraction) return false;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 59) return false;
  const std::chrono::milliseconds time = std::chrono::sys_days(date).time_since_epoch() +
                                         std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
                                         std::chrono::seconds(*second) +
                                         std::chrono::milliseconds(*fraction);
  *millis = time.count();
  return true;
}

bool AppendTime(int64_t millis, std::string* text) {
  // 0000-01-01 and 9999-12-31.
  if (millis < -62'167'219'200'000 || millis > 253'402'300'799'999) return false;
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(millis)};
  const auto days = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss clock(time - days);
  fmt::format_to(std::back_inserter(*text), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
                 static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                 static_cast<unsigned>(date.day()), clock.hours().count(), clock.minutes().count(),
                 clock.seconds().count(), clock.subseconds().count());
  return true;
}

}  // namespace orbweaver::parquet
