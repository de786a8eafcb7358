// A command of the `orbweaver` program: `orbweaver NAME ARGS…`.
#pragma once

#include <span>
#include <string>

namespace orbweaver {

// Exit codes of all commands: scripts rely on them.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;   // it was tried and did not work
inline constexpr int kExitUsage = 2;    // wrong arguments or configuration; nothing was done
inline constexpr int kExitStopped = 4;  // in good order, before its end

// A command's file makes one: what there is to know of the command stands there.
struct Command {
  const char* name;
  const char* summary;  // one line of `orbweaver --help`; null: a command for programs, not listed
  const char* help;     // printed for `--help` and `-h` among its arguments
  // `args` are those after the name, no `--help` among them. Returns the exit code.
  int (*run)(std::span<const std::string> args);
};

// The commands there are, in the order of --help (commands.cc).
std::span<const Command> Commands();

}  // namespace orbweaver
