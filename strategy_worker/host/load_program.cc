// Test program: loads the strategy of a library with parameters, NAME=VALUE each, and says which it
// is.
#include <string>

#include "fmt/format.h"

#include "common/base/status.h"
#include "strategy_worker/host/loader.h"

int main(int argc, char** argv) {
  orbweaver::StrategyOptions options{.path = argc > 1 ? argv[1] : ""};
  for (int i = 2; i < argc; ++i) {
    const std::string parameter = argv[i];
    const size_t equals = std::min(parameter.find('='), parameter.size() - 1);
    options.params[parameter.substr(0, equals)] = parameter.substr(equals + 1);
  }
  const auto strategy = orbweaver::LoadStrategy(options, 1);
  if (!strategy.ok()) {
    fmt::print("{}\n", orbweaver::MessageOf(strategy.status()));
    return 1;
  }
  fmt::print("{} version {}\n", (*strategy)->name(), (*strategy)->version());
  return 0;
}
