#include "cli/command.h"
#include "cli/message.h"
#include "fmt/format.h"

namespace orbweaver {

namespace {

int Run(std::span<const std::string> args) {
  if (!args.empty()) {
    PrintError("usage: orbweaver version\n");
    return kExitUsage;
  }
  Print("orbweaver {} ({}, clang {})\n", ORBWEAVER_VERSION, ORBWEAVER_BUILD_TYPE,
        __clang_version__);
  return kExitOk;
}

}  // namespace

Command VersionCommand() {
  return {.name = "version",
          .summary = "Print the version and how this program was built",
          .help = "usage: orbweaver version\n",
          .run = Run};
}

}  // namespace orbweaver
