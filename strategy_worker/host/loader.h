// From the configuration to a running strategy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "strategy_worker/host/loaded_strategy.h"
#include "strategy_worker/host/strategy_library.h"
#include "strategy_worker/host/strategy_options.h"

namespace orbweaver {

// The strategy that runs classes in Python. Installations without Python are without it, too.
inline constexpr std::string_view kPythonStrategy = "python";
inline constexpr std::string_view kWithoutPython =
    "strategies in Python are not in this installation, which was made without Python. Use one "
    "that has it: the Debian package, a build from the sources, or the container image that is "
    "built without `--build-arg PYTHON=`";

// Makes the strategy that `options` name, with their parameters. `seed`: for strategies that decide
// at random. Every error is fatal, begins with `load strategy 'NAME' (PATH)` and says what to do.
absl::StatusOr<std::unique_ptr<LoadedStrategy>> LoadStrategy(const StrategyOptions& options,
                                                             uint64_t seed);

// The library alone, for looking at what it declares. Errors as above.
absl::StatusOr<StrategyLibrary> OpenStrategy(const StrategyOptions& options);

// Where names are looked up: `options.directory`, or the folder of those that came with this
// program; empty when there is none.
std::filesystem::path StrategyDirectory(const StrategyOptions& options);

// Names that LoadStrategy would find, sorted: of `options.directory`, or of those that came with
// this program. None when there is no such folder.
std::vector<std::string> ListStrategies(const StrategyOptions& options);

}  // namespace orbweaver
