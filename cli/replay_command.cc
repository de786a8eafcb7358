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
#include "cli/replay/replay_task.h"
#include "cli/replay/strategy_list.h"
#include "cli/replay/verify_replay.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/schema.h"
#include "lab/recording/recording.h"
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
  --strategy NAME|FILE.so[:PARAM=VALUE,…]
                      this strategy; without it the recorded one, with its parameters
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
  auto strategies = LoadStrategyList((*recording)->manifest().origin, &args, schema, &options);
  if (!strategies.ok()) return Fail(kExitUsage, "replay", MessageOf(strategies.status()));
  if (!args.empty()) return usage(WrongOption(kHelp, args[0]));
  if (!IsConfigured(schema, "log.level")) {
    options.log.level = LogLevel::kWarning;
    ConfigureLog(options.log);
  }
  if (!verify) return usage("expected --verify");
  if (strategies->size() > 1) return usage("--verify takes one --strategy");
  const auto suffixes = PublicSuffixes::Load(options.public_suffixes);
  if (!suffixes.ok()) return Fail(kExitUsage, "replay", MessageOf(suffixes.status()));
  for (const ListedStrategy& listed : *strategies) {
    const absl::Status loads = LoadStrategy(listed.options, /*seed=*/1).status();
    if (!loads.ok()) return Fail(kExitUsage, "replay", MessageOf(loads));
  }
  const auto code = VerifyRecording({.options = options,
                                     .recording = **recording,
                                     .suffixes = **suffixes,
                                     .strategies = *std::move(strategies),
                                     .json = json});
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
