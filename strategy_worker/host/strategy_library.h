// A shared library that holds a crawl strategy, opened and found to speak this host's ABI.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

#include "strategy_worker/sdk/strategy_abi.h"

namespace orbweaver {

// Place: between the file and LoadedStrategy; the command line reads descriptions from it. Never
// closed again: texts and exceptions of a library may outlive its strategies. Immutable; copies are
// cheap.
class StrategyLibrary {
 public:
  using Params = std::map<std::string, std::string>;

  // Opens `path`, or with `FILE.so#NAME` one of the file's strategies, and checks everything that
  // can be checked without making a strategy. A description may depend on `params`, which
  // are not checked yet. Errors are fatal and say what to do; the caller puts `load strategy …`
  // before them.
  static absl::StatusOr<StrategyLibrary> Open(const std::string& path, const Params& params);

  // Its pointers and declarations hold what strategy_abi.h promises. All is zero that a strategy of
  // an earlier minor version does not say; its sizes are its own. Valid as long as a copy of this.
  const orbweaver_strategy& strategy() const { return description_->strategy; }
  const std::string& path() const { return path_; }

 private:
  struct Description {
    orbweaver_strategy strategy;
    std::vector<orbweaver_parameter> parameters;  // where its own are smaller
  };

  StrategyLibrary(std::shared_ptr<const Description> description, std::string path)
      : description_(std::move(description)), path_(std::move(path)) {}

  std::shared_ptr<const Description> description_;
  std::string path_;
};

}  // namespace orbweaver
