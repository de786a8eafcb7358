// `orbweaver replay`: strategies on a recorded spider log.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/amounts.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/crawl/crawl_options.h"
#include "cli/help_text.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "cli/record/progress_line.h"
#include "cli/replay/recorded_options.h"
#include "cli/replay/replay_report.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/config/schema.h"
#include "common/runtime/signal_watcher.h"
#include "lab/recording/recording.h"
#include "lab/replay/verification.h"
#include "strategy_worker/host/loader.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver replay RECORDING --verify [OPTIONS]

Runs the strategy worker over a recorded spider log, without fetching anything, and compares its
decisions with the recorded scoring log. Where they part it shows the first event on which they do:
the event, what was known, and both decisions. So a recording tests a strategy: a change that should
change nothing has the same decisions.

  --verify            compare the decisions with the recorded ones
  --strategy NAME|FILE  this strategy; without it the recorded one, with its parameters
  --param NAME=VALUE  a parameter of the strategy
  --json              the result as a JSON object
  --config FILE       read options from a file
  --set NAME=VALUE    set an option; without it the recorded configuration counts
  --help              this text

The recording must have both logs from their beginning: `orbweaver crawl --record DIR`, or
`orbweaver record` of a cluster whose logs are whole. A strategy that decides at random has no equal.

Exit code: 0 all decisions are equal; 1 they are not, or the recording cannot be read; 2 wrong
options; 4 stopped before the end.
)";

constexpr Duration kStopDeadline = std::chrono::seconds(60);

// The parts that replays of one recording share.
struct Replay {
  const ProductOptions& options;
  const lab::Recording& recording;
  const PublicSuffixes& suffixes;
  Strategy& strategy;

  absl::StatusOr<std::unique_ptr<lab::ReplayWorker>> NewWorker() const {
    ASSIGN_OR_RETURN(CrawlScope scope, CrawlScope::Make(options.spider.scope, suffixes));
    const auto partitions = recording.manifest().Partitions(kSpiderLogTopic);
    StrategyWorkerOptions worker = options.strategy_worker;
    // A dead letter is as good a decision as another one.
    worker.on_strategy_error = OnStrategyError::kDeadLetter;
    // The states of a small batch stay in the CPU's caches.
    worker.batch_events = 300;
    return lab::ReplayWorker::Create(
        {.strategy = strategy,
         .suffixes = suffixes,
         .partitions = partitions.empty() ? 1 : partitions.back().value() + 1,
         .options = worker,
         .states = options.states,
         .urls = options.spider.url,
         .scope = std::move(scope)});
  }
};

uint64_t RecordedEvents(const lab::Recording& recording) {
  uint64_t events = 0;
  for (const lab::RecordedFile& file : recording.manifest().files) {
    if (file.range.topic == kSpiderLogTopic) events += file.records;
  }
  return events;
}

absl::StatusOr<int> VerifyRecording(const Replay& replay, bool json) {
  StopRequest stop;
  SignalWatcher signals(stop, kStopDeadline);
  signals.Start();
  const uint64_t all = RecordedEvents(replay.recording);
  ASSIGN_OR_RETURN(const auto worker, replay.NewWorker());
  lab::VerificationResult result;
  {
    ProgressLine progress;
    ASSIGN_OR_RETURN(result, lab::Verify(replay.recording, *worker, [&](uint64_t events) {
                       progress.Show(Count(events, "event"), events, all);
                       return !stop.requested();
                     }));
  }
  ReplayReport report{.result = result, .first = {}, .strategy = replay.options.strategy.name};
  if (result.first.has_value()) {
    ASSIGN_OR_RETURN(const auto again, replay.NewWorker());
    ASSIGN_OR_RETURN(report.first, Describe(replay.recording, *result.first, *again));
  }
  Print("{}", json ? ReportJson(report) : ReportText(report));
  if (result.first.has_value()) return kExitFailed;
  return result.is_complete ? kExitOk : kExitStopped;
}

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  const bool verify = TakeSwitch(&args, "--verify");
  const bool json = TakeSwitch(&args, "--json");
  const auto usage = [](std::string_view why) {
    return Fail(kExitUsage, "replay", fmt::format("{}. See `orbweaver replay --help`", why));
  };
  if (args.empty() || args[0].starts_with('-')) return usage("expected the folder of a recording");
  const std::string folder = args[0];
  args.erase(args.begin());
  const auto recording = lab::Recording::Open(folder);
  if (!recording.ok()) return Fail(kExitFailed, "replay", MessageOf(recording.status()));
  config::Schema schema;
  ProductOptions options;
  const absl::Status loaded =
      LoadRecordedOptions((*recording)->manifest().origin, &args, schema, &options);
  if (!loaded.ok()) return Fail(kExitUsage, "replay", MessageOf(loaded));
  if (!args.empty()) return usage(WrongOption(kHelp, args[0]));
  if (!IsConfigured(schema, "log.level")) {
    options.log.level = LogLevel::kWarning;
    ConfigureLog(options.log);
  }
  if (!verify) return usage("expected --verify");
  const auto suffixes = PublicSuffixes::Load(options.public_suffixes);
  if (!suffixes.ok()) return Fail(kExitUsage, "replay", MessageOf(suffixes.status()));
  const auto strategy = LoadStrategy(options.strategy, /*seed=*/1);
  if (!strategy.ok()) return Fail(kExitUsage, "replay", MessageOf(strategy.status()));
  const auto code = VerifyRecording({.options = options,
                                     .recording = **recording,
                                     .suffixes = **suffixes,
                                     .strategy = **strategy},
                                    json);
  if (!code.ok()) return Fail(kExitFailed, "replay", MessageOf(code.status()));
  return *code;
}

}  // namespace

Command ReplayCommand() {
  return {.name = "replay",
          .summary = "Run strategies on a recorded spider log, and compare their decisions",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
