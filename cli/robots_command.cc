// `orbweaver robots`: what a robots.txt allows, as the spider reads it.
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "cli/read_file.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/schema.h"
#include "common/url/canonical.h"
#include "spider/robots/robots_rules.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] = R"(usage: orbweaver robots FILE AGENT URL…

Says of each URL whether the robots.txt in FILE (`-`: standard input) lets the crawler AGENT fetch
it (RFC 9309). Prints a line each, with tabs between:
  allow or deny, the canonical URL, the rule that decided and its line

AGENT is a product token, such as Googlebot; of `Bot/2.1` that is Bot. A URL may be a path alone.

Exits 0 when all are allowed, 1 when one is denied, 2 when nothing could be said.

options:
  --config FILE      read the options url.* from a file
  --set NAME=VALUE   set an option; `orbweaver config reference` lists them
  --help             this text

example:
  curl -s https://example.com/robots.txt | orbweaver robots - Orbweaver https://example.com/private/ /b
)";

constexpr int kExitDenied = 1;
constexpr size_t kMaxFileBytes = size_t{64} << 20;  // of which kMaxRobotsBytes count
constexpr std::string_view kNoHost = "http://robots.invalid/";

// Path and query of a canonical URL.
std::string_view PathOf(std::string_view url) {
  return url.substr(url.find('/', url.find("//") + 2));
}

std::string Describe(const RobotsDecision& decision) {
  if (decision.line == 0) return "no rule";
  return fmt::format("{}: {} (line {})", decision.allowed ? "Allow" : "Disallow", decision.path,
                     decision.line);
}

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  config::Schema schema;
  ProductOptions options;
  if (const absl::Status loaded = LoadProductOptions(&args, schema, &options); !loaded.ok()) {
    return Fail(kExitUsage, "robots", MessageOf(loaded));
  }
  if (args.size() < 3)
    return Fail(kExitUsage, "robots",
                "FILE, AGENT and a URL are needed. See `orbweaver robots --help`.");
  const std::string agent = args[1].substr(0, args[1].find('/'));
  if (!IsProductToken(agent)) {
    return Fail(kExitUsage, "robots",
                fmt::format("agent '{}': no product token. Those have letters, `-` and `_` only.",
                            args[1]));
  }
  const absl::StatusOr<std::string> file = ReadFileOrStdin(args[0], kMaxFileBytes);
  if (!file.ok()) return Fail(kExitUsage, "robots", MessageOf(file.status()));

  const RobotsRules rules = RobotsRules::Parse(*file, agent);
  UrlCanonicalizer canonicalizer(options.spider.url);
  if (canonicalizer.SetBase(kNoHost) != UrlError::kNone) return kExitUsage;
  bool all_allowed = true;
  std::string out;
  for (size_t i = 2; i < args.size(); ++i) {
    if (const UrlError error = canonicalizer.Canonicalize(args[i]); error != UrlError::kNone) {
      return Fail(kExitUsage, "robots",
                  fmt::format("URL '{}': {}. Give http or https URLs, or paths.", args[i],
                              UrlErrorName(error)));
    }
    const std::string_view url = canonicalizer.url();
    const RobotsDecision decision = rules.Decide(PathOf(url));
    all_allowed = all_allowed && decision.allowed;
    out += fmt::format("{}\t{}\t{}\n", decision.allowed ? "allow" : "deny",
                       url.starts_with(kNoHost) ? PathOf(url) : url, Describe(decision));
  }
  Print("{}", out);
  return all_allowed ? kExitOk : kExitDenied;
}

}  // namespace

Command RobotsCommand() {
  return {.name = "robots",
          .summary = "Say what a robots.txt allows a crawler, and by which rule",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
