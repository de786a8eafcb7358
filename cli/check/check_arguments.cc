#include "cli/check/check_arguments.h"

#include <filesystem>
#include <limits>
#include <utility>

#include "cli/arguments.h"
#include "fmt/format.h"

#include "common/config/value_text.h"

namespace orbweaver {
namespace {

constexpr uint64_t kMostAtOnce = 1'000'000;
constexpr double kMostPerSecond = 1e6;

struct NumberOption {
  std::string_view name;
  uint64_t least, most;
  uint64_t* value;
};

std::optional<std::string> TakeNumber(std::vector<std::string>* args, const NumberOption& option) {
  const auto text = TakeValue(args, option.name);
  if (!text) return std::nullopt;
  uint64_t number = 0;
  if (config::ParseNumber(*text, &number) && number >= option.least && number <= option.most) {
    *option.value = number;
    return std::nullopt;
  }
  return option.most == UINT64_MAX ? fmt::format("{} {}: expected a number of at least {}",
                                                 option.name, *text, option.least)
                                   : fmt::format("{} {}: expected a number from {} to {}",
                                                 option.name, *text, option.least, option.most);
}

// "2", "2,0.5".
std::optional<std::string> TakeLimit(std::vector<std::string>* args, std::string_view name,
                                     PressureLimit* limit) {
  const auto text = TakeValue(args, name);
  if (!text) return std::nullopt;
  const size_t comma = text->find(',');
  uint64_t at_once = 0;
  double per_second = limit->per_second;
  const bool is_good =
      config::ParseNumber(std::string_view(*text).substr(0, comma), &at_once) &&
      at_once <= kMostAtOnce &&
      (comma == std::string::npos ||
       config::ParseNumber(std::string_view(*text).substr(comma + 1), &per_second)) &&
      per_second >= 0 && per_second <= kMostPerSecond && (per_second == 0 || per_second >= 1e-4);
  if (!is_good) {
    return fmt::format(
        "{} {}: expected requests at once, and after a comma those that begin in a second, as 1 or "
        "2,0.5; 0 for any number",
        name, *text);
  }
  *limit = {.at_once = static_cast<uint32_t>(at_once), .per_second = per_second};
  return std::nullopt;
}

std::optional<std::string> TakeTime(std::vector<std::string>* args, std::string_view name,
                                    Duration* time) {
  const auto text = TakeValue(args, name);
  if (!text) return std::nullopt;
  if (config::ParseDuration(*text, time)) return std::nullopt;
  return fmt::format("{} {}: expected a time such as 500ms, 10s or 5m", name, *text);
}

}  // namespace

std::string CheckArguments::Meaning() const {
  std::string text = fmt::format("--max-redirects {}", settings.max_redirects);
  if (failures_only) text += " --failures-only";
  if (settings.obey_robots) text += " --robots";
  if (column > 0) text += fmt::format(" --column {}", column);
  return text;
}

std::optional<std::string> TakeCheckArguments(std::vector<std::string>* args,
                                              CheckArguments* into) {
  into->failures_only = TakeSwitch(args, "--failures-only");
  into->restart = TakeSwitch(args, "--restart");
  into->json = TakeSwitch(args, "--json");
  CheckSettings& settings = into->settings;
  settings.obey_robots = TakeSwitch(args, "--robots");
  if (const auto results = TakeValue(args, "--out")) into->results = *results;
  uint64_t column = 0, at_once = 0, redirects = settings.max_redirects, retries = settings.retries;
  for (const NumberOption& option :
       {NumberOption{"--column", 1, 1000, &column},
        NumberOption{"--at-once", 1, kMostAtOnce, &at_once},
        NumberOption{"--max-redirects", 0, 100, &redirects},
        NumberOption{"--retries", 0, 100, &retries},
        NumberOption{"--certificate-days", 0, 10'000, &into->certificate_days},
        NumberOption{"--max-failures", 0, UINT64_MAX, &into->max_failures}}) {
    if (auto wrong = TakeNumber(args, option)) return wrong;
  }
  into->column = column;
  into->at_once_given = at_once > 0;
  if (at_once > 0) settings.limits.at_once = static_cast<uint32_t>(at_once);
  settings.max_redirects = static_cast<uint32_t>(redirects);
  settings.retries = static_cast<uint32_t>(retries);
  for (const auto& [name, limit] : {std::pair("--per-host", &settings.limits.host),
                                    std::pair("--per-domain", &settings.limits.domain),
                                    std::pair("--per-address", &settings.limits.address)}) {
    if (auto wrong = TakeLimit(args, name, limit)) return wrong;
  }
  if (auto wrong = TakeTime(args, "--retry-delay", &settings.retry_delay)) return wrong;

  std::vector<std::string> sets;
  for (const auto& [flag, option] :
       {std::pair("--user-agent", "spider.fetch.user_agent"), std::pair("--proxy", "network.proxy"),
        std::pair("--timeout", "spider.fetch.total_timeout")}) {
    if (const auto value = TakeValue(args, flag)) {
      sets.push_back(fmt::format("--set={}={}", option, *value));
    }
  }
  args->insert(args->begin(), sets.begin(), sets.end());
  return std::nullopt;
}

}  // namespace orbweaver
