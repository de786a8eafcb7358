#include "cli/frontier/log_range_arguments.h"

#include <cstring>
#include <ctime>
#include <optional>
#include <string_view>

#include "cli/arguments.h"
#include "fmt/format.h"

#include "common/config/value_text.h"

namespace orbweaver {
namespace {

// "2026-01-31T12:00:00Z", or how long ago.
bool ParseTime(const std::string& text, WallTime* time) {
  Duration ago;
  if (config::ParseDuration(text, &ago)) {
    *time = SystemClock().Wall() - std::chrono::ceil<std::chrono::milliseconds>(ago);
    return true;
  }
  std::tm parts{};
  const char* const end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (end == nullptr || (*end != '\0' && std::strcmp(end, "Z") != 0)) return false;
  *time = WallTime(std::chrono::seconds(timegm(&parts)));
  return true;
}

// Takes `name` and its value; false when the value is none.
template <typename T, typename Parse>
bool Take(std::vector<std::string>* args, std::string_view name, T* into, Parse parse,
          std::string* wrong) {
  const auto text = TakeValue(args, name);
  if (!text.has_value()) return true;
  if (parse(*text, into)) return true;
  *wrong = fmt::format("{} {}: not understood", name, *text);
  return false;
}

}  // namespace

std::string TakeLogRange(std::vector<std::string>* args, LogRange* range) {
  const auto offset = [](const std::string& text, std::optional<int64_t>* into) {
    int64_t number = -1;
    if (!config::ParseNumber(text, &number) || number < 0) return false;
    *into = number;
    return true;
  };
  const auto time = [](const std::string& text, std::optional<WallTime>* into) {
    return ParseTime(text, &into->emplace());
  };
  std::string wrong;
  std::optional<int64_t> partition;
  const bool is_good = Take(args, "--partition", &partition, offset, &wrong) &&
                       Take(args, "--from", &range->from, offset, &wrong) &&
                       Take(args, "--to", &range->to, offset, &wrong) &&
                       Take(args, "--last", &range->last, offset, &wrong) &&
                       Take(args, "--since", &range->since, time, &wrong) &&
                       Take(args, "--until", &range->until, time, &wrong);
  if (is_good && partition.has_value()) {
    range->partition = PartitionId(static_cast<int32_t>(*partition));
  }
  return wrong;
}

}  // namespace orbweaver
