#include "common/config/value_text.h"

#include <charconv>
#include <cmath>
#include <iterator>

#include "fmt/format.h"

namespace orbweaver::config {
namespace {

struct Unit {
  std::string_view name;
  uint64_t size;
};

// Largest first: what is printed takes the first that divides.
constexpr Unit kDurationUnits[] = {
    {"d", 86'400'000'000'000},
    {"h", 3'600'000'000'000},
    {"m", 60'000'000'000},
    {"s", 1'000'000'000},
    {"ms", 1'000'000},
    {"us", 1'000},
    {"ns", 1},
};
constexpr Unit kByteUnits[] = {
    {"TiB", uint64_t{1} << 40},
    {"TB", 1'000'000'000'000},
    {"GiB", 1 << 30},
    {"GB", 1'000'000'000},
    {"MiB", 1 << 20},
    {"MB", 1'000'000},
    {"KiB", 1 << 10},
    {"KB", 1'000},
    {"B", 1},
};

bool HasLeadingZero(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

template <typename T>
bool ParseWith(std::string_view text, T* value) {
  if (HasLeadingZero(text)) return false;
  T parsed;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, parsed);
  if (error != std::errc() || stopped != end) return false;
  *value = parsed;
  return true;
}

// A whole number directly followed by one of `units`; `plain` is the size of a number without one,
// 0 when it needs one.
template <size_t N>
bool ParseQuantity(std::string_view text, const Unit (&units)[N], uint64_t plain, uint64_t* value) {
  const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
  const std::string_view name = text.substr(digits.size());
  uint64_t size = name.empty() ? plain : 0;
  for (const Unit& unit : units) {
    if (unit.name == name) size = unit.size;
  }
  uint64_t count;
  if (size == 0 || !ParseNumber(digits, &count)) return false;
  return !__builtin_mul_overflow(count, size, value);
}

// In the unit that gives the smallest whole count.
template <size_t N>
std::string PrintQuantity(uint64_t value, const Unit (&units)[N]) {
  for (const Unit& unit : units) {
    if (value != 0 && value % unit.size == 0) {
      return fmt::format("{}{}", value / unit.size, unit.name);
    }
  }
  return {};
}

}  // namespace

bool ParseBool(std::string_view text, bool* value) {
  if (text != "true" && text != "false") return false;
  *value = text == "true";
  return true;
}

std::string PrintBool(bool value) { return value ? "true" : "false"; }

bool ParseNumber(std::string_view text, int64_t* value) { return ParseWith(text, value); }
bool ParseNumber(std::string_view text, uint64_t* value) { return ParseWith(text, value); }
bool ParseNumber(std::string_view text, double* value) {
  double parsed;
  if (!ParseWith(text, &parsed) || !std::isfinite(parsed)) return false;
  *value = parsed;
  return true;
}

std::string PrintNumber(int64_t value) { return fmt::format("{}", value); }
std::string PrintNumber(uint64_t value) { return fmt::format("{}", value); }
std::string PrintNumber(double value) { return fmt::format("{}", value); }

bool ParseDuration(std::string_view text, std::chrono::nanoseconds* value) {
  if (text == "0") text = "0s";
  uint64_t parsed;
  if (!ParseQuantity(text, kDurationUnits, 0, &parsed) ||
      parsed > static_cast<uint64_t>(std::chrono::nanoseconds::max().count())) {
    return false;
  }
  *value = std::chrono::nanoseconds(static_cast<int64_t>(parsed));
  return true;
}

std::string PrintDuration(std::chrono::nanoseconds value) {
  const std::string text = PrintQuantity(static_cast<uint64_t>(value.count()), kDurationUnits);
  return text.empty() ? "0s" : text;
}

bool ParseBytes(std::string_view text, uint64_t* value) {
  return ParseQuantity(text, kByteUnits, 1, value);
}

std::string PrintBytes(uint64_t value) {
  const std::string text = PrintQuantity(value, kByteUnits);
  return text.empty() ? "0B" : text;
}

bool ParseShare(std::string_view text, double* value) {
  double percent = 0;
  if (text != "0") {
    if (!text.ends_with('%')) return false;
    text.remove_suffix(1);
    if (!ParseNumber(text, &percent) || percent < 0 || percent > 100) return false;
  }
  *value = percent / 100;
  return true;
}

std::string PrintShare(double value) { return fmt::format("{:.10g}%", value * 100); }

}  // namespace orbweaver::config
