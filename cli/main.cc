#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include "cli/command.h"
#include "cli/message.h"
#include "fmt/format.h"

namespace orbweaver {
namespace {

void PrintHelp(std::FILE* to) {
  fmt::print(to, "usage: orbweaver COMMAND [ARGS…]\n\nCommands:\n");
  for (const Command& command : Commands()) {
    fmt::print(to, "  {:<10} {}\n", command.name, command.summary);
  }
  fmt::print(to, "\n`orbweaver COMMAND --help` explains a command.\n");
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
  if (args[0] == "--help" || args[0] == "-h" || args[0] == "help") {
    PrintHelp(stdout);
    return kExitOk;
  }
  for (const Command& command : Commands()) {
    if (args[0] != command.name) continue;
    const std::span<const std::string> rest = std::span(args).subspan(1);
    if (!AsksForHelp(rest)) return command.run(rest);
    fmt::print("{}", command.help);
    return kExitOk;
  }
  PrintError("orbweaver: no command '{}'. `orbweaver --help` lists them.\n", args[0]);
  return kExitUsage;
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
