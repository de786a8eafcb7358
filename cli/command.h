// A command of the `orbweaver` program: `orbweaver NAME ARGS…`.
#pragma once

#include <span>
#include <string>

namespace orbweaver {

// Exit codes of all commands: scripts rely on them.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;  // it was tried and did not work
inline constexpr int kExitUsage = 2;   // wrong arguments or configuration; nothing was done

struct Command {
  const char* name;
  const char* summary;  // one line of `orbweaver --help`
  // `args` are those after the name. Returns the exit code. Handles --help itself.
  int (*run)(std::span<const std::string> args);
};

// The commands there are, in the order of --help (commands.cc).
std::span<const Command> Commands();

}  // namespace orbweaver
