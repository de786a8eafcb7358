// `orbweaver status`: how a cluster, or the crawl of a folder, stands.
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/crawl/which_crawl.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/frontier_status.h"
#include "cli/frontier/status_view.h"
#include "cli/help_text.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/schema.h"
#include "common/config/value_text.h"
#include "common/url/domain.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver status [OPTIONS]

Shows how a crawl stands: how far behind each group of workers is, in all and by partition, how much
is written and read a second, whose each partition is, and what waits in the queue. Rates come from
two looks, so it takes as long as --interval.

  --data DIR        the folder of `orbweaver crawl`, which may be running. Without it the only crawl
                    in ./crawl-data, or a cluster that the options name
  --watch           look again and again, until Ctrl-C
  --interval TIME   between two looks; 2s
  --domains N       read the queue of so many domains and estimate the rest from them; 100000.
                    0: of all, which asks a cluster's HBase for a row a domain
  --json            one JSON object a look
  --config FILE     read the options from a file
  --set NAME=VALUE  set an option: kafka.brokers, hbase.hosts
  --help            this text

A partition is named as hot that has twice the mean or more of what a group of workers has read, where
that is ten messages a second or more: it has a domain that is larger or faster than others, or more.
`ready` are domains that may be asked now, `paced` those that wait for their delay. The queue is read
from the store, which db workers bring up to date every few seconds (db_worker.checkpoint_interval);
their own /status is exact at any moment. The public suffix list is the one configured here; those of
the workers stand in their /status, and must be of the same date.

Exit code: 0 shown; 1 Kafka, HBase or the folder could not be read; 2 wrong options.
)";

struct Arguments {
  std::optional<std::filesystem::path> folder;
  Duration interval = std::chrono::seconds(2);
  uint64_t max_domains = 100'000;
  bool watch = false;
  bool json = false;
};

// The mistake in the arguments; empty when there is none.
std::string Parse(std::vector<std::string> args, Arguments* parsed) {
  parsed->watch = TakeSwitch(&args, "--watch");
  parsed->json = TakeSwitch(&args, "--json");
  if (const auto text = TakeValue(&args, "--interval");
      text && !(config::ParseDuration(*text, &parsed->interval) &&
                parsed->interval >= std::chrono::milliseconds(100))) {
    return fmt::format("--interval {}: expected a time from 100ms on, as 2s", *text);
  }
  if (const auto text = TakeValue(&args, "--domains");
      text && !config::ParseNumber(*text, &parsed->max_domains)) {
    return fmt::format("--domains {}: expected a number", *text);
  }
  if (!args.empty()) return WrongOption(kHelp, args[0]);
  return {};
}

int Show(const ProductOptions& options, const PublicSuffixes& suffixes, const Arguments& args) {
  auto frontier = Frontier::Open(options, args.folder);
  std::optional<FrontierStatus> before;
  const bool is_screen = args.watch && !args.json && isatty(STDOUT_FILENO) == 1;
  while (true) {
    if (!frontier.ok()) {
      PrintError("orbweaver status: {}.\n", MessageOf(frontier.status()));
      return kExitFailed;
    }
    auto now = LookAt(**frontier, args.max_domains);
    if (!now.ok()) {
      PrintError("orbweaver status: {}{}.\n", MessageOf(now.status()),
                 (*frontier)->Hint(now.status()));
      return kExitFailed;
    }
    now->suffix_list_date = suffixes.date();
    if (before.has_value() && args.json) {
      Print("{}\n", StatusJson(*before, *now, LoadsOf(*before, *now)));
    } else if (before.has_value()) {
      // From the top of the screen, without what stood below.
      if (is_screen) std::fputs("\033[H", stdout);
      Print("{}", StatusText(*before, *now, LoadsOf(*before, *now)));
      if (is_screen) std::fputs("\033[J", stdout);
    }
    if (std::fflush(stdout) != 0) return kExitFailed;
    if (before.has_value() && !args.watch) return kExitOk;
    if (!before.has_value() && is_screen) std::fputs("\033[2J", stdout);
    before = *std::move(now);
    std::this_thread::sleep_for(args.interval);  // what happens meanwhile is what is measured
    // A folder is seen as it stood when it was opened.
    if (args.folder.has_value()) frontier = Frontier::Open(options, args.folder);
  }
}

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  config::Schema schema;
  ProductOptions options;
  Arguments parsed;
  const auto crawl = LoadOptionsOfCrawl(&args, schema, &options);
  std::string wrong =
      crawl.ok() ? Parse(std::move(args), &parsed) : std::string(MessageOf(crawl.status()));
  const auto suffixes = PublicSuffixes::Load(options.public_suffixes);
  if (wrong.empty() && !suffixes.ok()) wrong = MessageOf(suffixes.status());
  if (wrong.empty()) {
    crawl->Tell();
    parsed.folder = crawl->folder;
    return Show(options, **suffixes, parsed);
  }
  PrintError("orbweaver status: {}. `orbweaver status --help` lists the options.\n", wrong);
  return kExitUsage;
}

}  // namespace

Command StatusCommand() {
  return {.name = "status",
          .summary = "Show how a cluster, or the crawl of a folder, stands",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
