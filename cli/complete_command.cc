// `orbweaver complete`: asked by the shells' completion scripts (cli/shell/), not by people.
#include <algorithm>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/completion.h"
#include "cli/message.h"
#include "cli/product_options.h"

#include "common/config/schema.h"
#include "strategy_worker/host/loader.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] = R"(usage: orbweaver complete -- WORD…

Prints what may stand in place of the last WORD of a command line that begins with `orbweaver`: a
word a line, a tab, what it means. A line `:files` or `:folders` leaves that to the shell.
)";

std::vector<Completion::Word> Strategies() {
  std::vector<Completion::Word> words;
  for (std::string& name : ListStrategies({})) words.push_back({std::move(name), ""});
  return words;
}

// `NAME=VALUE` of --set.
std::vector<Completion::Word> Settings(std::string_view typed) {
  config::Schema schema;
  ProductOptions options;
  DeclareProductOptions(schema, &options);
  std::vector<Completion::Word> words;
  for (const config::Option& option : schema.options()) {
    if (!typed.starts_with(option.name + "=")) {
      words.push_back({option.name + "=", option.doc});
      continue;
    }
    std::vector<std::string> values = option.type.choices;
    if (option.type.kind == config::ValueType::Kind::kBool) values = {"true", "false"};
    for (const std::string& value : values) words.push_back({option.name + "=" + value, ""});
  }
  return words;
}

std::vector<Completion::Word> Values(std::string_view command, std::string_view name,
                                     std::string_view typed) {
  if (name == "--strategy" || (command == "strategy" && name == "NAME")) return Strategies();
  if (name == "--set") return Settings(typed);
  return {};
}

int Run(std::span<const std::string> args) {
  if (args.empty() || args[0] != "--") {
    PrintError("{}", kHelp);
    return kExitUsage;
  }
  const Completion completion = Complete(args.subspan(1), Commands(), Values);
  if (completion.paths == Completion::Paths::kFiles) Print(":files\n");
  if (completion.paths == Completion::Paths::kFolders) Print(":folders\n");
  for (const Completion::Word& word : completion.words) {
    Print("{}\t{}\n", word.text, word.doc);
  }
  return kExitOk;
}

}  // namespace

Command CompleteCommand() {
  return {.name = "complete", .summary = nullptr, .help = kHelp, .run = Run};
}

}  // namespace orbweaver
