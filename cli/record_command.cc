// `orbweaver record`: logs as files that replay and other programs read.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/crawl/which_crawl.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "cli/record/log_recording.h"
#include "cli/record/record_arguments.h"
#include "cli/record/recording_import.h"
#include "cli/record/recording_report.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/schema.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver record --out DIR [OPTIONS]
       orbweaver record check DIR [OPTIONS]
       orbweaver record stats DIR [OPTIONS]
       orbweaver record import DIR [OPTIONS]

Records the logs of a crawl in Parquet files, for SQL and to replay strategies on: every record as it
is, and beside it columns that say what it says. docs/experiments.md shows what to do with them.
Called again it goes on where it stood, also after Ctrl-C or kill -9: no record is lost or there
twice. `orbweaver crawl --record DIR` records while it crawls.

check   reads all of a recording and names what is damaged, missing or too much
stats   what is in it: events, domains, time, links, bytes
import  writes its records into the topics of a cluster, or of a new folder with --data DIR. An import
        that was stopped goes on when it is called again. Offsets begin at 0, and the log gives each
        record a new time of writing: when an event happened stands in the event itself

  --out DIR         the folder of the recording, made when it is missing
  --topics LIST     spider-log,scoring-log; also spider-feed
  --data DIR        the logs in the folder of `orbweaver crawl`. Without it the only crawl in
                    ./crawl-data, or a cluster that the options name
  --partition N     only this one
  --from OFFSET     from this offset on, where nothing is recorded yet
  --to OFFSET       up to this one, which is left out
  --last N          only the last N messages of each partition
  --since TIME      written since then: 2026-01-31T12:00:00Z, or ago: 90s, 2h
  --until TIME      written before then
  --sample N%       only of so many registered domains, chosen by their hash, but all of these
  --follow          of a cluster: go on with what comes, until Ctrl-C
  --every TIME      following, finish a file at least so often, where something has come; 1m
  --skip-damaged    stats, import: leave damaged files out, and count them
  --json            check, stats: JSON
  --config FILE     read the options from a file
  --set NAME=VALUE  set an option: kafka.brokers
  --help            this text

Exit code: 0 recorded, imported, or whole; 1 it failed, or the recording is damaged; 2 wrong options;
4 stopped before the end.
)";

absl::Status Load(std::vector<std::string>* args, config::Schema& schema, ProductOptions* options,
                  RecordArguments* parsed, MeantCrawl* crawl) {
  const auto is = [args](std::string_view verb) {
    return std::ranges::find(*args, verb) != args->end();
  };
  if (is("check") || is("stats") || is("import")) {
    // Such a folder is not a crawl's yet.
    if (is("import")) parsed->folder = TakeValue(args, "--data");
    return LoadProductOptions(args, schema, options);
  }
  ASSIGN_OR_RETURN(*crawl, LoadOptionsOfCrawl(args, schema, options));
  parsed->folder = crawl->folder;
  return absl::OkStatus();
}

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  config::Schema schema;
  ProductOptions options;
  RecordArguments parsed;
  MeantCrawl crawl;
  const absl::Status loaded = Load(&args, schema, &options, &parsed, &crawl);
  std::string wrong(loaded.ok() ? "" : MessageOf(loaded));
  if (wrong.empty()) wrong = ParseRecordArguments(std::move(args), kHelp, &parsed);
  if (!wrong.empty()) {
    return Fail(kExitUsage, "record",
                fmt::format("{}. `orbweaver record --help` says more", wrong));
  }
  crawl.Tell();
  if (parsed.verb == "check") return CheckRecordingCommand(parsed);
  if (parsed.verb == "stats") return RecordingStatsCommand(parsed);
  if (parsed.verb == "import") return ImportRecording(options, schema, parsed);
  return RecordLogs(options, schema, parsed);
}

}  // namespace

Command RecordCommand() {
  return {.name = "record",
          .summary = "Record a crawl's logs in Parquet files; check, count and import recordings",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
