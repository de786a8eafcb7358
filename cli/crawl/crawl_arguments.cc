#include "cli/crawl/crawl_arguments.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/functional/function_ref.h"
#include "cli/arguments.h"
#include "cli/crawl/network_arguments.h"
#include "cli/crawl/output_arguments.h"
#include "cli/listen_address.h"
#include "cli/strategy_argument.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/value_text.h"

namespace orbweaver {
namespace {

constexpr std::string_view kRetries = "strategy.params.retries";

// Options that are short for a --set.
constexpr std::pair<std::string_view, std::string_view> kShortForms[] = {
    {"--max-pages-per-domain", "strategy.params.max_pages"},
    {"--depth", "strategy.params.max_depth"},
    {"--delay", "politeness.delay"},
    {"--explore", "strategy_worker.explore"},
    {"--threads", "spider.threads"},
    {"--user-agent", "spider.fetch.user_agent"},
    {"--ports", "network.ports"},
    {"--retries", kRetries},
};

// Lists, given an element at a time.
constexpr std::pair<std::string_view, std::string_view> kLists[] = {
    {"--include", "scope.include"},
    {"--exclude", "scope.exclude"},
};

// As --set takes a list.
std::string ListText(const std::vector<std::string>& elements) {
  std::string text;
  for (const std::string& element : elements) {
    if (!text.empty()) text.push_back(',');
    for (const char c : element) {
      if (c == ',') text.push_back('\\');
      text.push_back(c);
    }
  }
  return text;
}

// An option of the schema that a flag of the command stands for.
using SetOption =
    absl::FunctionRef<void(std::string_view flag, std::string_view option, std::string_view value)>;

// These take their arguments out of *args; a text: what is wrong with one.

std::optional<std::string> TakeOwnArguments(std::vector<std::string>* args, CrawlArguments* into) {
  into->json = TakeSwitch(args, "--json");
  into->dry_run = TakeSwitch(args, "--dry-run");
  into->add = TakeSwitch(args, "--add");
  into->no_console = TakeSwitch(args, "--no-console");
  into->seed_files = TakeValues(args, "--seeds");
  if (const auto folder = TakeValue(args, "--data")) into->data = *folder;
  if (const auto text = TakeValue(args, "--max-pages");
      text && !(config::ParseNumber(*text, &into->max_pages) && into->max_pages > 0)) {
    return fmt::format("--max-pages {}: expected a number above 0", *text);
  }
  if (const auto text = TakeValue(args, "--max-failures");
      text && !config::ParseNumber(*text, &into->max_failures)) {
    return fmt::format("--max-failures {}: expected a number", *text);
  }
  for (const auto& [name, time] :
       {std::pair("--duration", &into->duration), std::pair("--max-wait", &into->max_wait)}) {
    if (const auto text = TakeValue(args, name);
        text && !(config::ParseDuration(*text, time) &&
                  (*time > Duration::zero() || time == &into->max_wait))) {
      return fmt::format("{} {}: expected a time such as 90s, 30m or 2h", name, *text);
    }
  }
  return std::nullopt;
}

std::optional<std::string> TakeScopeArguments(std::vector<std::string>* args, SetOption set) {
  if (const auto kind = TakeValue(args, "--scope")) {
    constexpr std::string_view kKinds[] = {"domain", "everything", "host", "path"};
    if (std::ranges::find(kKinds, *kind) == std::end(kKinds)) {
      return fmt::format("--scope {}: expected domain, host, path or everything", *kind);
    }
    set("--scope", "scope.kind", *kind);
  }
  if (const auto use = TakeValue(args, "--sitemaps")) {
    constexpr std::string_view kUses[] = {"also", "no", "only", "strategy"};
    if (std::ranges::find(kUses, *use) == std::end(kUses)) {
      return fmt::format("--sitemaps {}: expected only, also, no or strategy", *use);
    }
    set("--sitemaps", "scope.sitemaps", *use);
  }
  if (TakeSwitch(args, "--assets")) set("--assets", "scope.assets", "true");
  if (TakeSwitch(args, "--everything")) set("--everything", "scope.kind", "everything");
  return std::nullopt;
}

std::optional<std::string> TakeRetryDelay(std::vector<std::string>* args, SetOption set) {
  if (const auto text = TakeValue(args, "--retry-delay")) {
    Duration delay;
    if (!config::ParseDuration(*text, &delay) || delay < std::chrono::seconds(1)) {
      return fmt::format("--retry-delay {}: expected a time of a second or more, such as 30s",
                         *text);
    }
    const auto seconds = std::chrono::floor<std::chrono::seconds>(delay).count();
    set("--retry-delay", "strategy.params.retry_delay_s", fmt::to_string(seconds));
    set("--retry-delay", "strategy_worker.own_retry_delay", fmt::format("{}s", seconds));
    // At the retry, the failure of robots.txt and of the name must not be remembered any more.
    set("--retry-delay", "spider.robots.retry_min",
        fmt::format("{}s", std::max<int64_t>(1, seconds / 2)));
    set("--retry-delay", "strategy_worker.dns_failure_rest", fmt::format("{}s", seconds));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> TakeCrawlArguments(std::vector<std::string>* args,
                                              CrawlArguments* into) {
  if (auto wrong = TakeOwnArguments(args, into)) return wrong;
  std::vector<std::string> sets;
  const auto set = [&](std::string_view flag, std::string_view name, std::string_view value) {
    const std::string text = fmt::format("{}={}", name, value);
    sets.push_back("--set=" + text);
    into->flags.emplace(text, flag);
  };
  OptionTexts outputs;
  TakeOutputArguments(args, &outputs, &into->out);
  for (const auto& [name, value] : outputs) {
    const std::string_view flag = OutputFlagOf(name);
    set(flag.empty() ? "--out" : flag, name, value);
  }
  if (TakeSwitch(args, "--keep-going")) {
    set("--keep-going", "strategy_worker.on_strategy_error", "dead_letter");
  }
  if (const auto strategy = TakeValue(args, "--strategy")) {
    const auto settings = StrategySettings(*strategy);
    if (!settings.ok()) return fmt::format("--strategy {}", MessageOf(settings.status()));
    for (const auto& [option, value] : *settings) set("--strategy", option, value);
  }
  if (auto wrong = TakeScopeArguments(args, set)) return wrong;
  if (const auto address = TakeValue(args, "--console")) {
    const auto parsed = ParseListenAddress(*address);
    if (!parsed.has_value()) {
      return fmt::format("--console {}: expected IP:PORT, such as 127.0.0.1:9600", *address);
    }
    set("--console", "admin.listen", parsed->ip);
    set("--console", "admin.port", fmt::to_string(parsed->port));
  }
  for (const auto& [name, option] : kShortForms) {
    const auto value = TakeValue(args, name);
    if (!value) continue;
    set(name, option, *value);
    // Of what no strategy is asked about.
    if (option == kRetries) set(name, "strategy_worker.own_retries", *value);
  }
  if (auto wrong = TakeRetryDelay(args, set)) return wrong;
  for (const std::string& parameter : TakeValues(args, "--param")) {
    const size_t equals = parameter.find('=');
    const std::string name = parameter.substr(0, equals);
    set("--param " + name + "=", "strategy.params." + name,
        equals == std::string::npos ? "" : parameter.substr(equals + 1));
  }
  std::vector<std::pair<std::string, std::string>> network;
  if (auto wrong = TakeNetworkArguments(args, &network)) return wrong;
  for (const auto& [name, value] : network) {
    const std::string_view flag = NetworkFlagOf(name);
    set(!flag.empty()                                   ? flag
        : name.starts_with("spider.fetch.host_headers") ? "--header"
                                                        : "--timeout",
        name, value);
  }
  for (const auto& [name, option] : kLists) {
    const std::vector<std::string> elements = TakeValues(args, name);
    if (!elements.empty()) set(name, option, ListText(elements));
  }
  args->insert(args->begin(), sets.begin(), sets.end());
  return std::nullopt;
}

std::string FlagOf(std::string_view option) {
  if (const std::string_view flag = OutputFlagOf(option); !flag.empty()) return std::string(flag);
  if (const std::string_view flag = NetworkFlagOf(option); !flag.empty()) return std::string(flag);
  if (option == "scope.kind") return "--scope";
  if (option == "scope.assets") return "--assets";
  if (option == "scope.sitemaps") return "--sitemaps";
  if (option == "strategy.params.retry_delay_s") return "--retry-delay";
  for (const auto& [flag, name] : kShortForms) {
    if (name == option) return std::string(flag);
  }
  for (const auto& [flag, name] : kLists) {
    if (name == option) return std::string(flag);
  }
  return std::string(option);
}

std::string AsGiven(std::string_view message) {
  for (const auto& [flag, name] : kLists) {
    if (message.starts_with(name)) {
      return fmt::format("{}{}", flag, message.substr(name.size()));
    }
  }
  return std::string(message);
}

}  // namespace orbweaver
