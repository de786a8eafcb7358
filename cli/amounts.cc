#include "cli/amounts.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "fmt/format.h"

namespace orbweaver {

std::string Bytes(uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"B", "KB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  return fmt::format("{:.{}f} {}", value, unit > 0 && value < 99.95 ? 1 : 0, kUnits[unit]);
}

std::string Time(Duration duration) {
  const auto seconds = static_cast<int64_t>(
      std::max(0.0, std::round(std::chrono::duration<double>(duration).count())));
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  if (seconds < 86400) return fmt::format("{} h {} min", seconds / 3600, seconds % 3600 / 60);
  return fmt::format("{} d {} h", seconds / 86400, seconds % 86400 / 3600);
}

std::string Count(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string Count(uint64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", Count(count), thing, count == 1 ? "" : "s");
}

}  // namespace orbweaver
