// `orbweaver strategy`: which crawl strategies there are, what they can be told, and new ones.
#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "cli/python_program.h"
#include "cli/strategy_argument.h"
#include "cli/strategy_files.h"
#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/status.h"
#include "common/config/schema.h"
#include "strategy_worker/host/loader.h"
#include "strategy_worker/host/parameters.h"

namespace orbweaver {

Command ReplayCommand();

namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver strategy list [OPTIONS]
       orbweaver strategy describe [NAME | FILE.py | FILE.so] [OPTIONS]
       orbweaver strategy new NAME.py
       orbweaver strategy test FILE.py [ARGUMENTS]
       orbweaver strategy test FILE.py --log DIR [OPTIONS]

list      the crawl strategies in strategy.directory, or those that came with this program
describe  a strategy's parameters: type, bounds, default and meaning; without a name those of the
          strategy that is configured. Of several strategies in one file FILE.py#CLASS or
          FILE.so#NAME is meant
new       writes a strategy in Python to begin with, and its test, NAME_test.py
test      runs a file with Python, which finds the package orbweaver and its TestDriver. Arguments
          are the file's own. With --log it runs the strategy in FILE.py over a recording instead
          and compares its decisions with the recorded ones, as `orbweaver replay DIR --strategy
          FILE.py --strict` does: exit code 1 when it fails on an event. The options of replay hold
          here too

options:
  --log DIR         a recording of a crawl, on which the strategy is tested
  --json            an object a line
  --config FILE     read the options strategy.* from a file
  --set NAME=VALUE  set an option; `orbweaver config reference` lists them
  --help            this text

examples:
  orbweaver strategy describe discovery
  orbweaver strategy new shallow.py && orbweaver strategy test shallow_test.py
  orbweaver strategy test shallow.py --log rec
  orbweaver strategy describe ./shallow.py
  orbweaver strategy describe ./build/shallow.so
)";

std::span<const orbweaver_parameter> ParametersOf(const orbweaver_strategy& strategy) {
  return {strategy.parameters, strategy.parameter_count};
}

bool NeedsBody(const orbweaver_strategy& strategy) {
  return (strategy.needs & ORBWEAVER_NEEDS_BODY) != 0;
}

void AppendJson(const StrategyLibrary& library, std::string* out) {
  const orbweaver_strategy& strategy = library.strategy();
  JsonWriter json(out);
  json.BeginObject().Key("name").Value(strategy.name);
  json.Key("version").Value(strategy.version).Key("doc").Value(strategy.doc);
  json.Key("path").Value(library.path()).Key("needs_body").Value(NeedsBody(strategy));
  json.Key("parameters").BeginArray();
  for (const orbweaver_parameter& parameter : ParametersOf(strategy)) {
    json.BeginObject().Key("name").Value(parameter.name).Key("type").Value(parameter.type);
    json.Key("default").Value(parameter.default_value);
    if (parameter.min <= parameter.max) {
      json.Key("min").Value(parameter.min).Key("max").Value(parameter.max);
    }
    json.Key("doc").Value(parameter.doc).EndObject();
  }
  json.EndArray().EndObject();
  out->push_back('\n');
}

void AppendText(const StrategyLibrary& library, std::string* out) {
  const orbweaver_strategy& strategy = library.strategy();
  *out +=
      fmt::format("{}: {}\nversion {}, {}{}\n", strategy.name, strategy.doc, strategy.version,
                  library.path(), NeedsBody(strategy) ? "; needs pages' bodies in the log" : "");
  if (strategy.parameter_count > 0) *out += "\nparameters (strategy.params):\n";
  for (const orbweaver_parameter& parameter : ParametersOf(strategy)) {
    const std::string_view text = parameter.default_value;
    *out += fmt::format("  {}: {}; default {}\n      {}\n", parameter.name,
                        ExpectedValue(parameter), text.empty() ? "empty" : text, parameter.doc);
  }
}

// One that cannot be loaded is told and does not hide the others.
int List(const StrategyOptions& options, bool json) {
  int code = kExitOk;
  std::string out;
  const std::vector<std::string> names = ListStrategies(options);
  size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  for (const std::string& name : names) {
    const auto library = OpenStrategy({.name = name, .directory = options.directory});
    if (!library.ok()) {
      PrintError("orbweaver strategy list: {}\n", MessageOf(library.status()));
      code = kExitFailed;
    } else if (json) {
      AppendJson(*library, &out);
    } else {
      out += fmt::format("{:<{}}  {}\n", name, width, library->strategy().doc);
    }
  }
  if (out.empty() && code == kExitOk) {
    PrintError("orbweaver strategy list: no strategies in '{}'. Set strategy.directory.\n",
               options.directory);
    return kExitFailed;
  }
  Print("{}", out);
  if (options.directory.empty() && std::ranges::find(names, kPythonStrategy) == names.end()) {
    PrintError("orbweaver strategy list: {}\n", kWithoutPython);
  }
  return code;
}

int Describe(const StrategyOptions& options, bool json) {
  const auto library = OpenStrategy(options);
  if (!library.ok()) {
    PrintError("orbweaver strategy describe: {}\n", MessageOf(library.status()));
    return kExitFailed;
  }
  std::string out;
  if (json) {
    AppendJson(*library, &out);
  } else {
    AppendText(*library, &out);
  }
  Print("{}", out);
  return kExitOk;
}

int New(const std::string& file) {
  const absl::Status written = WriteNewStrategy(file);
  if (!written.ok()) {
    PrintError("orbweaver strategy new: {}\n", MessageOf(written));
    return kExitFailed;
  }
  const std::string test = file.substr(0, file.size() - 3) + "_test.py";
  Print(
      "{} and {} are there. Try them:\n  orbweaver strategy test {}\n"
      "  orbweaver crawl URL --strategy {}\n",
      file, test, test, file);
  return kExitOk;
}

// `log` is the option's place among `args`, of which the first is the strategy's file.
int TestOnRecording(std::span<const std::string> args, size_t log) {
  if (log + 1 == args.size()) {
    PrintError("orbweaver strategy test: --log wants the folder of a recording\n");
    return kExitUsage;
  }
  std::vector<std::string> of_replay = {args[log + 1], "--strategy", args.front()};
  const auto is_another_verb = [](const std::string& arg) {
    return arg == "--verify" || arg == "--crawl";
  };
  if (std::ranges::none_of(args, is_another_verb)) of_replay.emplace_back("--strict");
  for (size_t i = 1; i < args.size(); ++i) {
    if (i != log && i != log + 1) of_replay.push_back(args[i]);
  }
  return ReplayCommand().run(of_replay);
}

int Test(std::span<const std::string> args) {
  const auto log = std::ranges::find(args, "--log");
  if (log != args.end()) return TestOnRecording(args, static_cast<size_t>(log - args.begin()));
  const std::vector<std::string> names = ListStrategies({});
  const absl::Status failed = std::ranges::find(names, kPythonStrategy) == names.end()
                                  ? FatalError("{}", kWithoutPython)
                                  : BecomePython(kOwnPython, StrategyDirectory({}), args);
  PrintError("orbweaver strategy test: {}\n", MessageOf(failed));
  return kExitFailed;
}

int Usage() {
  PrintError("{}", kHelp);
  return kExitUsage;
}

// The strategy that is to be described, as options in its place. False: the text is none.
bool TakeDescribed(std::vector<std::string>* args) {
  if (args->size() < 2 || (*args)[0] != "describe" || (*args)[1].starts_with('-')) return true;
  const auto settings = StrategySettings((*args)[1]);
  if (!settings.ok()) {
    PrintError("orbweaver strategy describe: {}\n", MessageOf(settings.status()));
    return false;
  }
  args->erase(args->begin() + 1);
  for (const auto& [option, value] : *settings) {
    args->insert(args->end(), {"--set", fmt::format("{}={}", option, value)});
  }
  return true;
}

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  if (args.size() == 2 && args[0] == "new" && !args[1].starts_with('-')) return New(args[1]);
  if (args.size() >= 2 && args[0] == "test" && !args[1].starts_with('-')) {
    return Test(std::span(args).subspan(1));
  }
  if (!TakeDescribed(&args)) return kExitUsage;
  const auto take = [&args](std::string_view name) { return std::erase(args, name) > 0; };
  config::Schema schema;
  ProductOptions options;
  if (const absl::Status loaded = LoadProductOptions(&args, schema, &options); !loaded.ok()) {
    PrintError("orbweaver strategy: {}\n", MessageOf(loaded));
    return kExitUsage;
  }
  const bool json = take("--json");
  if (args.size() != 1) return Usage();
  if (args[0] == "list") return List(options.strategy, json);
  return args[0] == "describe" ? Describe(options.strategy, json) : Usage();
}

}  // namespace

Command StrategyCommand() {
  return {.name = "strategy",
          .summary = "List the crawl strategies, describe one's parameters, begin one in Python",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
