#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/command.h"
#include "cli/message.h"
#include "fmt/format.h"

#include "common/config/nearest.h"

namespace orbweaver {
namespace {

void PrintHelp(std::FILE* to) {
  fmt::print(
      to,
      "usage: orbweaver COMMAND [ARGS…]\n\n"
      "`orbweaver crawl https://example.org/` crawls a site. `orbweaver help COMMAND` explains "
      "a command.\n\nCommands:\n");
  for (const Command& command : Commands()) {
    if (command.summary != nullptr) fmt::print(to, "  {:<12} {}\n", command.name, command.summary);
  }
}

const Command* FindCommand(std::string_view name) {
  const auto commands = Commands();
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [&](const Command& command) { return name == command.name; });
  return found == commands.end() ? nullptr : &*found;
}

int NoCommand(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : Commands()) {
    if (command.summary != nullptr) names.emplace_back(command.name);
  }
  const std::string nearest = config::Nearest(name, names);
  std::string hint = "`orbweaver --help` lists them.";
  if (!nearest.empty()) {
    hint = fmt::format("Did you mean '{}'? {}", nearest, hint);
  } else if (name.find_first_of(".:") != std::string::npos) {
    hint = fmt::format("To crawl from a URL: orbweaver crawl {}", name);
  }
  PrintError("orbweaver: no command '{}'. {}\n", name, hint);
  return kExitUsage;
}

// `orbweaver help [COMMAND]`.
int Help(std::span<const std::string> args) {
  if (args.empty()) {
    PrintHelp(stdout);
    return kExitOk;
  }
  const Command* const command = FindCommand(args[0]);
  if (command == nullptr) return NoCommand(args[0]);
  fmt::print("{}", command->help);
  return kExitOk;
}

bool AsksForHelp(std::span<const std::string> args) {
  const auto end = std::find(args.begin(), args.end(), "--");
  return std::any_of(args.begin(), end,
                     [](const std::string& arg) { return arg == "--help" || arg == "-h"; });
}

int Main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.empty()) {
    PrintHelp(stderr);
    return kExitUsage;
  }
  const std::span<const std::string> rest = std::span(args).subspan(1);
  if (args[0] == "--help" || args[0] == "-h" || args[0] == "help") return Help(rest);
  const bool version = args[0] == "--version" || args[0] == "-V";
  const Command* const command = FindCommand(version ? "version" : args[0]);
  if (command == nullptr) return NoCommand(args[0]);
  if (!AsksForHelp(rest)) return command->run(rest);
  fmt::print("{}", command->help);
  return kExitOk;
}

// Output that could not be written is a failure, whatever the command made of it: a full disk must
// not look like success. Nothing is said of a reader that has gone.
int AfterFlush(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  if (errno != EPIPE) {
    std::fprintf(stderr, "orbweaver: write standard output: %s.\n", std::strerror(errno));
  }
  return code == kExitOk ? kExitFailed : code;
}

}  // namespace
}  // namespace orbweaver

int main(int argc, char** argv) {
  try {
    return orbweaver::AfterFlush(orbweaver::Main(argc, argv));
  } catch (const std::system_error& error) {  // fmt's, when a write fails
    errno = error.code().value();
    if (errno != EPIPE) std::fprintf(stderr, "orbweaver: %s.\n", error.what());
    return orbweaver::kExitFailed;
  }
}
