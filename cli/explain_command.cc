// `orbweaver explain`: what happens to a URL, and why.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/crawl/which_crawl.h"
#include "cli/frontier/domain_outcomes.h"
#include "cli/frontier/explain_url.h"
#include "cli/frontier/explanation_view.h"
#include "cli/frontier/frontier.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "cli/seed_writer.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/schema.h"
#include "common/url/resolver.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver explain URL [OPTIONS]

Says what happens to a URL: when it was fetched, or where its request is and when it is fetched at
the soonest, or the rule that keeps it from being fetched: a pattern of the scope, a parameter of the
strategy, a line of robots.txt, a block, a failure. `orbweaver inspect url` shows the bare facts.

  --json            an object: answer, says, more, soonest_ms, and the facts of `inspect url`
  --data DIR        the folder of `orbweaver crawl`, which may be running. Without it the only crawl
                    in ./crawl-data, or a cluster that the options name
  --config FILE     read the options from a file
  --set NAME=VALUE  set an option: hbase.hosts, scope.…, strategy.…, url.…
  --help            this text

The scope and the strategy are those of the folder; for a cluster those of the options given here,
which should be the workers' own. Read from the store, which workers bring up to date every few
seconds.

Exit code: 0 explained; 1 Kafka, HBase or the folder could not be read; 2 wrong options.
)";

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  const bool json = TakeSwitch(&args, "--json");
  config::Schema schema;
  ProductOptions options;
  const auto crawl = LoadOptionsOfCrawl(&args, schema, &options);
  if (!crawl.ok()) return Fail(kExitUsage, "explain", MessageOf(crawl.status()));
  if (const auto unknown = UnknownOption(args)) {
    return Fail(kExitUsage, "explain",
                fmt::format("unknown option {}. See `orbweaver explain --help`", *unknown));
  }
  if (args.size() != 1) {
    return Fail(kExitUsage, "explain",
                "expected `orbweaver explain URL`. See `orbweaver explain --help`");
  }
  const auto suffixes = PublicSuffixes::Load(options.public_suffixes);
  if (!suffixes.ok()) return Fail(kExitUsage, "explain", MessageOf(suffixes.status()));
  UrlResolver urls(options.spider.url, **suffixes);
  ResolvedUrl url;
  if (const UrlError error = ResolveSeed(args[0], urls, &url); error != UrlError::kNone) {
    return Fail(
        kExitUsage, "explain",
        fmt::format("'{}' is no URL that is ever fetched: {}", args[0], UrlErrorName(error)));
  }
  crawl->Tell();
  const auto frontier = Frontier::Open(options, crawl->folder);
  if (!frontier.ok()) return Fail(kExitFailed, "explain", MessageOf(frontier.status()));
  const WallTime now = SystemClock().Wall();
  const auto outcomes = [&frontier](const DomainFacts& domain) {
    return ReadDomainOutcomes((*frontier)->bus(), domain.domain, domain.partition, {},
                              kLookTimeout);
  };
  const auto explained = ExplainUrl(**frontier, options, url, **suffixes, outcomes, now);
  if (!explained.ok()) {
    return Fail(
        kExitFailed, "explain",
        fmt::format("{}{}", MessageOf(explained.status()), (*frontier)->Hint(explained.status())));
  }
  if (json) {
    Print("{}\n", ExplanationJson(explained->facts, explained->explanation));
  } else {
    Print("{}", ExplanationText(explained->facts, explained->explanation, now));
  }
  return kExitOk;
}

}  // namespace

Command ExplainCommand() {
  return {.name = "explain",
          .summary = "Say what happens to a URL, and why",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
