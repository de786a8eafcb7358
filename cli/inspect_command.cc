// `orbweaver inspect`: all that is known of a URL or of a domain.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/crawl/which_crawl.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/inspect.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "cli/seed_writer.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/schema.h"
#include "common/url/named_domain.h"
#include "common/url/resolver.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver inspect url URL [OPTIONS]
       orbweaver inspect domain DOMAIN [OPTIONS]

Shows as a JSON object what is known of a URL (its canonical form, domain, slot, partition and
fingerprint; what its strategy worker remembers; where it waits in the queue; what was fetched) or of
a registered domain (counts, its URLs by their state, the robots.txt of its hosts as fetched, the
strategy's bytes; its queue by band, delay, back-off, blocks; its last 50 fetches). A host or a URL
stands for its registered domain. null: nothing is known.

  --data DIR        the folder of `orbweaver crawl`, which may be running. Without it the only crawl
                    in ./crawl-data, or a cluster that the options name
  --config FILE     read the options from a file
  --set NAME=VALUE  set an option: hbase.hosts, url.…
  --help            this text

Read from the store, which workers bring up to date every few seconds. `page` is kept by db workers
with the role `pages`. The last fetches are those that the tail of a cluster's spider log has, or
that the crawl of a folder has kept: it does so every half a minute and at its end.

Exit code: 0 shown; 1 Kafka, HBase or the folder could not be read; 2 wrong options.
)";

int Show(const ProductOptions& options, const std::optional<std::filesystem::path>& folder,
         const std::optional<ResolvedUrl>& url, const std::string& domain) {
  const auto frontier = Frontier::Open(options, folder);
  if (!frontier.ok()) return Fail(kExitFailed, "inspect", MessageOf(frontier.status()));
  const auto inspect = [&]() -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(const int partitions, (*frontier)->Partitions());
    Store& store = (*frontier)->store();
    if (url.has_value()) {
      ASSIGN_OR_RETURN(const UrlFacts facts,
                       ReadUrlFacts(store, *url, partitions, options.spider.politeness));
      return UrlJson(facts);
    }
    ASSIGN_OR_RETURN(const DomainFacts facts,
                     ReadDomainFacts(store, domain, partitions, options.spider.politeness));
    ASSIGN_OR_RETURN(const DomainOutcomes outcomes,
                     (*frontier)->LastOutcomes(domain, facts.partition));
    return DomainJson(facts, SystemClock().Wall(), &outcomes);
  };
  const auto text = inspect();
  if (!text.ok()) {
    return Fail(kExitFailed, "inspect",
                fmt::format("{}{}", MessageOf(text.status()), (*frontier)->Hint(text.status())));
  }
  Print("{}\n", *text);
  return kExitOk;
}

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  config::Schema schema;
  ProductOptions options;
  const auto crawl = LoadOptionsOfCrawl(&args, schema, &options);
  if (!crawl.ok()) return Fail(kExitUsage, "inspect", MessageOf(crawl.status()));
  const bool is_complete = args.size() == 2 && (args[0] == "url" || args[0] == "domain");
  if (!is_complete) {
    return Fail(kExitUsage, "inspect",
                "expected `inspect url URL` or `inspect domain DOMAIN`. See "
                "`orbweaver inspect --help`");
  }
  const bool is_url = args[0] == "url";
  const auto suffixes = PublicSuffixes::Load(options.public_suffixes);
  if (!suffixes.ok()) return Fail(kExitUsage, "inspect", MessageOf(suffixes.status()));
  if (!is_url) {
    const auto domain = NamedDomain(args[1], options.spider.url, **suffixes);
    if (!domain.ok()) return Fail(kExitUsage, "inspect", MessageOf(domain.status()));
    crawl->Tell();
    return Show(options, crawl->folder, std::nullopt, *domain);
  }
  UrlResolver resolver(options.spider.url, **suffixes);
  ResolvedUrl url;
  const UrlError error = ResolveSeed(args[1], resolver, &url);
  if (error != UrlError::kNone)
    return Fail(kExitUsage, "inspect", fmt::format("'{}' is no URL", args[1]));
  crawl->Tell();
  return Show(options, crawl->folder, url, {});
}

}  // namespace

Command InspectCommand() {
  return {.name = "inspect",
          .summary = "Show all that is known of a URL or of a domain",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
