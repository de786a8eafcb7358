// `orbweaver replay`: strategies on a recorded spider log.
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/crawl/crawl_options.h"
#include "cli/help_text.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "cli/replay/compare_replay.h"
#include "cli/replay/crawl_evaluation.h"
#include "cli/replay/crawl_replay.h"
#include "cli/replay/crawl_replay_arguments.h"
#include "cli/replay/replay_task.h"
#include "cli/replay/strategy_list.h"
#include "cli/replay/verify_replay.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/schema.h"
#include "lab/recording/recording.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver replay RECORDING --strategy A --strategy B… [OPTIONS]
       orbweaver replay RECORDING --verify [OPTIONS]
       orbweaver replay RECORDING --crawl [--strategy A --strategy B…] [OPTIONS]

Runs strategies over a recorded crawl, without fetching anything.

Each strategy decides on the same events, and remembers its own decisions. Those of each further one
are compared with those of the first; those of a single one with the recorded ones. It is told which
requests only one of two makes, and which stand in another band of the queue (0 leaves first, 7
last) or are due at another time; how many, of which domains and shapes of URL, with examples and
the events that they came of.

With --verify the decisions of one strategy are held against the recorded ones, byte for byte. Where
they part it shows the first event on which they do: the event, what was known, and both decisions.
So a recording tests a strategy: a change that should change nothing has the same decisions.

With --crawl the recorded pages are the web, and each strategy crawls it from the same seeds, in
virtual time: the whole frontier with its queue, politeness and retries. A URL that the recorded
crawl never fetched is unknown, and answers as another one of its domain and depth did. Each
strategy crawls several times, with other such answers. "recorded" is the share of fetches whose
outcome is known; below 80 % there is no verdict.

Each pair of strategies gets a verdict: which gathers more new contents, or more of what pages are
worth (--value, --value-file), after as many fetches as the shorter crawl has, with bounds for
unknown pages and a 95 % interval over registered domains. `--strategy oracle` knows beforehand what
pages are worth, and shows what is possible.

  --strategy NAME|FILE.py|FILE.so[:PARAM=VALUE,…]
                      a strategy, with its parameters; without one --verify and --crawl
                      take the recorded one
  --param NAME=VALUE  a parameter, where there is one strategy
  --verify            hold the decisions against the recorded ones
  --crawl             crawl the recorded web
  --strict            exit code 1 when there is an event that a strategy cannot process; where
                      decisions are compared
  --json              the result as a JSON object
  --config FILE       read options from a file
  --set NAME=VALUE    set an option; without it the recorded configuration counts
  --help              this text

Of --crawl:
  --budget N          each crawl ends after N fetches; without it after as many as were recorded
  --for TIME          each crawl ends after this time of its own, such as 24h
  --speed RATE        all spiders together fetch no faster, such as 500/s or 30/min
  --spiders N         so many spiders, 1 by default
  --delay TIME        between two requests to a registered domain
  --seed N            of chance: strategies that decide at random, what was not recorded
  --work DIR          lay the recorded pages out here, about as large as the spider log; without it
                      in TMPDIR, or /tmp
  --force             print figures also where there is no verdict
  --out DIR           write a report: a page with curves and tables, and its figures as CSV and
                      Parquet; replaces an earlier report
  --draws N           crawl so often with each strategy, unknown pages answering otherwise each
                      time, and another seed: 5 by default, 1 to 10; with 1 bounds are too narrow
  --value EXPRESSION  the worth of a page, by its recorded columns; without it a page counts when
                      its content is new
  --value-file FILE   the same by lines of URL,SCORE, or columns url and score of a .parquet

The recording must have the logs from their beginning: `orbweaver crawl --record DIR`, or
`orbweaver record` of a cluster whose logs are whole. A strategy that decides at random has no equal.

Exit code: 0 compared, however different, or crawled; with --verify all decisions are equal; 1 with
--verify they are not, with --strict an event failed, or the recording cannot be read; 2 wrong
options; 3 with --crawl too little was recorded for a verdict; 4 stopped before the end.

  orbweaver replay rec --strategy breadth_first --strategy opic:max_pages=100
  orbweaver replay rec --strategy ./mine.so
  orbweaver replay rec --verify
  orbweaver replay rec --crawl --strategy breadth_first --strategy opic --budget 1000
  orbweaver replay rec --crawl --strategy opic --strategy oracle --out report \
      --value 'language="de" and text_bytes>2000'
)";

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  const bool verify = TakeSwitch(&args, "--verify");
  const bool crawl = TakeSwitch(&args, "--crawl");
  const bool json = TakeSwitch(&args, "--json");
  const bool strict = TakeSwitch(&args, "--strict");
  const auto usage = [](std::string_view why) {
    return Fail(kExitUsage, "replay", fmt::format("{}. See `orbweaver replay --help`", why));
  };
  if (args.empty() || args[0].starts_with('-')) return usage("expected the folder of a recording");
  const std::string folder = args[0];
  args.erase(args.begin());
  CrawlReplayArguments of_crawl;
  if (crawl) {
    const auto mistake = TakeCrawlReplayArguments(&args, &of_crawl);
    if (mistake) return usage(*mistake);
  }
  const auto recording = lab::Recording::Open(folder);
  if (!recording.ok()) return Fail(kExitFailed, "replay", MessageOf(recording.status()));
  config::Schema schema;
  ProductOptions options;
  auto strategies = LoadStrategyList((*recording)->manifest().origin, &args, schema, &options);
  if (!strategies.ok()) return Fail(kExitUsage, "replay", MessageOf(strategies.status()));
  if (!args.empty()) return usage(WrongOption(kHelp, args[0]));
  if (!IsConfigured(schema, "log.level")) {
    options.log.level = LogLevel::kWarning;
    ConfigureLog(options.log);
  }
  if (strict && (verify || crawl)) return usage("--strict is for comparing decisions");
  if (verify && crawl) return usage("--verify and --crawl are two things");
  if (verify && strategies->size() > 1) return usage("--verify takes one --strategy");
  if (!verify && !crawl && (*strategies)[0].is_recorded) {
    return usage("expected --strategy, --verify or --crawl");
  }
  const auto suffixes = PublicSuffixes::Load(options.public_suffixes);
  if (!suffixes.ok()) return Fail(kExitUsage, "replay", MessageOf(suffixes.status()));
  for (const ListedStrategy& listed : *strategies) {
    const absl::Status loads = CheckStrategy(listed, crawl);
    if (!loads.ok()) return Fail(kExitUsage, "replay", MessageOf(loads));
  }
  const ReplayTask task{.options = options,
                        .recording = **recording,
                        .suffixes = **suffixes,
                        .strategies = *std::move(strategies),
                        .json = json,
                        .strict = strict};
  const auto code = verify  ? VerifyRecording(task)
                    : crawl ? CrawlRecording(task, of_crawl)
                            : CompareDecisions(task);
  if (!code.ok()) return Fail(kExitFailed, "replay", MessageOf(code.status()));
  return *code;
}

}  // namespace

Command ReplayCommand() {
  return {.name = "replay",
          .summary = "Run strategies on a recorded crawl: compare decisions, crawl it anew",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
