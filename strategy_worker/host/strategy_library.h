// A shared library that holds a crawl strategy, opened and found to speak this host's ABI.
#pragma once

#include <string>

#include "absl/status/statusor.h"

#include "strategy_worker/sdk/strategy_abi.h"

namespace orbweaver {

// Place: between the file and LoadedStrategy; the command line reads descriptions from it. Never
// closed again: texts and exceptions of a library may outlive its strategies. Immutable; copies are
// cheap.
class StrategyLibrary {
 public:
  // Opens `path` and checks everything that can be checked without making a strategy. Errors are
  // fatal and say what to do; the caller puts `load strategy …` before them.
  static absl::StatusOr<StrategyLibrary> Open(const std::string& path);

  // Its pointers and declarations hold what strategy_abi.h promises.
  const orbweaver_strategy& strategy() const { return *strategy_; }
  const std::string& path() const { return path_; }

 private:
  StrategyLibrary(const orbweaver_strategy* strategy, std::string path)
      : strategy_(strategy), path_(std::move(path)) {}

  const orbweaver_strategy* strategy_;
  std::string path_;
};

}  // namespace orbweaver
