#include "lab/report/figures.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "fmt/format.h"

namespace orbweaver::lab {
namespace {

std::string Grouped(std::string digits) {
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

bool IsShare(Metric metric) {
  return metric == Metric::kPageRank || metric == Metric::kInLinks || metric == Metric::kFresh;
}

}  // namespace

std::string ShowPercent(double share) {
  const double percent = share * 100;
  const double size = std::abs(percent);
  // 99.96 % is not all of it, and 0.04 % is not nothing.
  const int digits = size >= 10 && std::abs(size - std::round(size)) >= 0.05 && size > 99 ? 1
                     : size >= 10 || size == 0 || size == std::round(size)                ? 0
                     : size >= 1                                                          ? 1
                                                                                          : 2;
  return size < 0.005 ? "0 %" : fmt::format("{:.{}f} %", percent, digits);
}

std::string ShowNumber(double number) {
  const double size = std::abs(number);
  if (size >= 9.5e14) return fmt::format("{:.4g}", number);
  const bool is_whole = std::abs(size - std::round(size)) < 1e-9;
  if (is_whole || size >= 999.5) {
    const std::string digits = Grouped(fmt::format("{:.0f}", size));
    return number < 0 && digits != "0" ? "-" + digits : digits;
  }
  return fmt::format("{:.{}f}", number,
                     size >= 99.5    ? 1
                     : size >= 9.95  ? 1
                     : size >= 0.995 ? 2
                                     : 3);
}

std::string ShowSigned(double number) {
  const std::string text = ShowNumber(number);
  return number > 0 && text != "0" ? "+" + text : text;
}

std::string ShowCount(uint64_t count, std::string_view thing) {
  const std::string_view plural = thing.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", Grouped(std::to_string(count)), thing, count == 1 ? "" : plural);
}

std::string ShowTime(Duration duration) {
  const double exact = std::max(0.0, std::chrono::duration<double>(duration).count());
  if (exact < 9.95) return fmt::format("{:.1f} s", exact);
  const auto seconds = static_cast<int64_t>(std::round(exact));
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  if (seconds < 86400) return fmt::format("{} h {} min", seconds / 3600, seconds % 3600 / 60);
  return fmt::format("{} d {} h", seconds / 86400, seconds % 86400 / 3600);
}

std::string ShowFigure(Metric metric, double number) {
  return IsShare(metric) ? ShowPercent(number) : ShowNumber(number);
}

std::string ShowFigureSigned(Metric metric, double number) {
  if (!IsShare(metric)) return ShowSigned(number);
  const std::string text = ShowPercent(number);
  return number > 0 && text != "0 %" ? "+" + text : text;
}

}  // namespace orbweaver::lab
