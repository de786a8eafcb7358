#include "cli/crawl/network_arguments.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

#include "cli/arguments.h"
#include "cli/message.h"
#include "cli/seed_writer.h"
#include "fmt/format.h"
#include "fmt/ranges.h"

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/config/value_text.h"
#include "common/url/domain.h"
#include "common/url/resolver.h"
#include "spider/crawl/spider_options.h"
#include "spider/fetch/cookie_file.h"
#include "spider/fetch/fetch_url.h"
#include "spider/fetch/proxy.h"
#include "spider/fetch/request_head.h"
#include "spider/robots/robots_options.h"

namespace orbweaver {
namespace {

using OptionTexts = std::vector<std::pair<std::string, std::string>>;
using Wrong = std::optional<std::string>;

constexpr std::string_view kHeaders = "spider.fetch.host_headers";
constexpr std::string_view kHeaderFlag = "--header";
constexpr std::pair<std::string_view, std::string_view> kFlags[] = {
    {"--cookies", "spider.fetch.cookies_file"},
    {"--from", "spider.fetch.from"},
    {"--ignore-robots", "spider.robots.ignore_hosts"},
    {"--max-size", "spider.fetch.max_body_bytes"},
    {"--per-host", "politeness.per_domain"},
    {"--proxy", "network.proxy"},
    {"--rate", "politeness.rate"},
    {"--timeout", "spider.fetch.total_timeout"},
};

// A message that begins with the option's name, in the user's words.
std::string Renamed(const absl::Status& status, std::string_view option, std::string_view flag) {
  std::string message(MessageOf(status));
  if (message.starts_with(option)) message.replace(0, option.size(), flag);
  if (message.ends_with('.')) message.pop_back();
  return message;
}

// `--header HOST 'NAME: VALUE'`. The value is not repeated: it may be a password.
Wrong TakeHeaders(std::vector<std::string>* args, OptionTexts* options) {
  constexpr std::string_view kForm = "--header: write --header HOST 'NAME: VALUE'";
  if (std::ranges::any_of(*args, [](const auto& arg) { return arg.starts_with("--header="); })) {
    return std::string(kForm);
  }
  for (auto at = std::ranges::find(*args, kHeaderFlag); at != args->end();
       at = std::ranges::find(*args, kHeaderFlag)) {
    if (args->end() - at < 3) return std::string(kForm);
    const std::string host = *(at + 1);
    const std::string text = *(at + 2);
    const size_t colon = text.find(':');
    if (colon == std::string::npos || host.find(": ") != std::string::npos) {
      return fmt::format("{}. A header is for one host, so that no other is sent it", kForm);
    }
    const std::string name = text.substr(0, colon);
    const size_t begin = std::min(text.find_first_not_of(" \t", colon + 1), text.size());
    const std::string key = host + "/" + name;
    const auto checked = RequestHead::Create({.host_headers = {{key, text.substr(begin)}}});
    if (!checked.ok()) return Renamed(checked.status(), kHeaders, kHeaderFlag);
    options->emplace_back(fmt::format("{}.{}", kHeaders, key), text.substr(begin));
    args->erase(at, at + 3);
  }
  return std::nullopt;
}

// "10/s", "600/min", "100/h", "10": by the second.
bool ParseRate(std::string_view text, double* rate) {
  const size_t slash = text.find('/');
  const std::string_view unit = slash == std::string_view::npos ? "s" : text.substr(slash + 1);
  const double seconds = unit == "s" ? 1 : unit == "min" ? 60 : unit == "h" ? 3600 : 0;
  if (seconds == 0 || !config::ParseNumber(text.substr(0, slash), rate) || !(*rate > 0)) {
    return false;
  }
  *rate /= seconds;
  return true;
}

Wrong TakeSpeed(std::vector<std::string>* args, OptionTexts* options) {
  if (const auto text = TakeValue(args, "--rate")) {
    double rate = 0;
    if (!ParseRate(*text, &rate) || rate < 1e-6 || rate > 1e6) {
      return fmt::format("--rate {}: expected requests by time, as 10/s, 30/min or 100/h", *text);
    }
    options->emplace_back("politeness.rate", config::PrintNumber(rate));
  }
  if (const auto text = TakeValue(args, "--per-host")) {
    uint64_t most = 0;
    if (!config::ParseNumber(*text, &most) || most < 1 || most > 1000) {
      return fmt::format("--per-host {}: expected a number from 1 to 1000", *text);
    }
    options->emplace_back("politeness.per_domain", *text);
  }
  return std::nullopt;
}

Wrong TakeLimits(std::vector<std::string>* args, OptionTexts* options) {
  if (const auto text = TakeValue(args, "--timeout")) {
    Duration timeout{};
    if (!config::ParseDuration(*text, &timeout) || timeout < std::chrono::milliseconds(10) ||
        timeout > std::chrono::hours(1)) {
      return fmt::format("--timeout {}: expected a time from 10ms to 1h, such as 30s", *text);
    }
    options->emplace_back("spider.fetch.total_timeout", *text);
    // A site that needs long for its first byte is what people have in mind.
    options->emplace_back("spider.fetch.first_byte_timeout",
                          timeout > std::chrono::minutes(10) ? "10m" : *text);
  }
  if (const auto text = TakeValue(args, "--max-size")) {
    uint64_t bytes = 0;
    if (!config::ParseBytes(*text, &bytes) || bytes < 1024 || bytes > (1 << 30)) {
      return fmt::format("--max-size {}: expected a size from 1KiB to 1GiB, such as 10MB", *text);
    }
    options->emplace_back("spider.fetch.max_body_bytes", *text);
  }
  return std::nullopt;
}

Wrong TakeIdentity(std::vector<std::string>* args, OptionTexts* options) {
  if (const auto mail = TakeValue(args, "--from")) {
    const auto checked = RequestHead::Create({.from = *mail});
    if (!checked.ok()) return Renamed(checked.status(), "spider.fetch.from", "--from");
    options->emplace_back("spider.fetch.from", *mail);
  }
  if (const auto file = TakeValue(args, "--cookies")) {
    const auto cookies = CookieFile::Read(*file);
    if (!cookies.ok()) return fmt::format("--cookies {}", MessageOf(cookies.status()));
    // The crawl may go on from another working directory.
    options->emplace_back("spider.fetch.cookies_file", std::filesystem::absolute(*file).string());
  }
  std::string hosts;
  for (const std::string& host : TakeValues(args, "--ignore-robots")) {
    const absl::Status checked = CheckRobotsOptions({.ignore_hosts = {host}});
    if (!checked.ok()) return Renamed(checked, "spider.robots.ignore_hosts", "--ignore-robots");
    hosts += (hosts.empty() ? "" : ",") + host;
  }
  if (!hosts.empty()) options->emplace_back("spider.robots.ignore_hosts", hosts);
  return std::nullopt;
}

}  // namespace

Wrong TakeNetworkArguments(std::vector<std::string>* args, OptionTexts* options) {
  // Before the options of one value: its own look like seeds.
  if (Wrong wrong = TakeHeaders(args, options)) return wrong;
  if (const auto url = TakeValue(args, "--proxy")) {
    const auto proxy = ParseProxy(*url);
    if (!proxy.ok()) return Renamed(proxy.status(), "network.proxy", "--proxy");
    options->emplace_back("network.proxy", *url);
  }
  if (Wrong wrong = TakeSpeed(args, options)) return wrong;
  if (Wrong wrong = TakeLimits(args, options)) return wrong;
  return TakeIdentity(args, options);
}

std::string_view NetworkFlagOf(std::string_view option) {
  for (const auto& [flag, name] : kFlags) {
    if (name == option) return flag;
  }
  return {};
}

absl::Status CheckNetworkOptions(const ProductOptions& options) {
  absl::Status checked = CheckSpiderOptions(options.spider);
  if (checked.ok()) return checked;
  const std::string message(MessageOf(checked));
  const std::string option = message.substr(0, message.find(' '));
  const std::string_view flag = option == kHeaders ? kHeaderFlag : NetworkFlagOf(option);
  return flag.empty() ? checked : FatalError("{}", Renamed(checked, option, flag));
}

absl::Status AllowSeedHosts(const std::vector<std::string>& seeds, config::Schema& schema,
                            ProductOptions* options) {
  if (seeds.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto suffixes, PublicSuffixes::Load(options->public_suffixes));
  UrlResolver resolver(options->spider.url, *suffixes);
  const auto allowed =
      std::ranges::find(schema.options(), "network.allow_hosts", &config::Option::name);
  CHECK(allowed != schema.options().end());
  for (const std::string& seed : seeds) {
    ResolvedUrl url;
    if (ResolveSeed(seed, resolver, &url) != UrlError::kNone) continue;
    const std::string host(SplitFetchUrl(url.url).value().authority);
    const auto& hosts = options->spider.network.allow_hosts;
    if (std::ranges::find(hosts, host) != hosts.end()) continue;
    CHECK(allowed->put("", host));
    allowed->sources[""] = "seeds";
  }
  return absl::OkStatus();
}

void TellNetworkOptions(const ProductOptions& options) {
  if (const auto& hosts = options.spider.robots.ignore_hosts; !hosts.empty()) {
    PrintError(
        "WARNING: robots.txt is not obeyed on {} (--ignore-robots). That is for sites of "
        "your own.\n",
        fmt::join(hosts, ", "));
  }
  if (options.spider.fetch.cookies_file.empty()) return;
  const auto cookies = CookieFile::Read(options.spider.fetch.cookies_file);
  if (!cookies.ok()) return;  // the options were checked before
  const size_t expired = cookies->Expired(SystemClock().Wall());
  PrintError("Cookies: {} from {}{}.\n", cookies->size(), options.spider.fetch.cookies_file,
             expired == 0 ? "" : fmt::format("; expired and not sent: {}", expired));
}

}  // namespace orbweaver
