#include "cli/command.h"
#include "fmt/format.h"

namespace orbweaver {

int RunVersion(std::span<const std::string> args) {
  if (!args.empty()) {
    fmt::print(stderr, "usage: orbweaver version\n");
    return kExitUsage;
  }
  fmt::print("orbweaver {} ({}, clang {})\n", ORBWEAVER_VERSION, ORBWEAVER_BUILD_TYPE,
             __clang_version__);
  return kExitOk;
}

}  // namespace orbweaver
