#include "strategy_worker/host/loader.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "common/base/status.h"
#include "common/config/excerpt.h"
#include "common/config/nearest.h"
#include "strategy_worker/host/crash_report.h"
#include "strategy_worker/host/parameters.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".so";

// Strategies stand in lib/orbweaver/strategies beside the folder of the programs: one step up from
// PREFIX/bin, a few from a test within the build tree. Empty when there are none.
fs::path OwnDirectory() {
  constexpr int kMaxStepsUp = 4;
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (int i = 0; i < kMaxStepsUp && folder.has_relative_path(); ++i) {
    folder = folder.parent_path();
    fs::path candidate = folder / "lib" / "orbweaver" / "strategies";
    if (fs::is_directory(candidate, error)) return candidate;
  }
  return {};
}

// `load strategy 'depth_first' (PATH)`, or without what is not known.
std::string Identity(const StrategyOptions& options, const std::string& path) {
  std::string identity = "load strategy";
  if (options.path.empty()) identity += fmt::format(" '{}'", config::Excerpt(options.name));
  if (!path.empty()) identity += fmt::format(" ({})", path);
  return identity;
}

absl::StatusOr<std::string> FindPath(const StrategyOptions& options) {
  if (!options.path.empty()) return options.path;
  const fs::path directory = StrategyDirectory(options);
  if (directory.empty()) {
    return FatalError(
        "the strategies that came with this program are not beside it. Set strategy.directory to "
        "their folder");
  }
  const std::vector<std::string> known = ListStrategies(options);
  if (std::find(known.begin(), known.end(), options.name) != known.end()) {
    return directory / (options.name + std::string(kSuffix));
  }
  if (options.name == kPythonStrategy && options.directory.empty()) {
    return FatalError("{}", kWithoutPython);
  }
  const std::string nearest = config::Nearest(options.name, known);
  return FatalError("none of this name in {}. {}", directory.string(),
                    nearest.empty()
                        ? "`orbweaver strategy list` shows those there are; a library of your own "
                          "is named by strategy.path"
                        : fmt::format("Did you mean '{}'?", nearest));
}

}  // namespace

absl::StatusOr<StrategyLibrary> OpenStrategy(const StrategyOptions& options) {
  ReportCrashes();
  const absl::StatusOr<std::string> path = FindPath(options);
  if (!path.ok()) return Annotate(path.status(), Identity(options, ""));
  absl::StatusOr<StrategyLibrary> library = StrategyLibrary::Open(*path, options.params);
  if (!library.ok()) return Annotate(library.status(), Identity(options, *path));
  return library;
}

absl::StatusOr<std::unique_ptr<LoadedStrategy>> LoadStrategy(const StrategyOptions& options,
                                                             uint64_t seed) {
  ASSIGN_OR_RETURN(const StrategyLibrary library, OpenStrategy(options));
  const orbweaver_strategy& abi = library.strategy();
  const std::string identity = Identity({.name = abi.name}, library.path());
  const auto values = ParameterValues({abi.parameters, abi.parameter_count}, options.params);
  if (!values.ok()) return Annotate(values.status(), identity);
  auto strategy = LoadedStrategy::Make(library, *values, seed);
  if (!strategy.ok()) return Annotate(strategy.status(), identity);
  return strategy;
}

fs::path StrategyDirectory(const StrategyOptions& options) {
  return options.directory.empty() ? OwnDirectory() : fs::path(options.directory);
}

std::vector<std::string> ListStrategies(const StrategyOptions& options) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(StrategyDirectory(options), error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == kSuffix) names.push_back(entry->path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace orbweaver
