// The strategies of a replay.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/product_options.h"

#include "common/config/schema.h"
#include "lab/recording/manifest.h"
#include "strategy_worker/host/strategy_options.h"

namespace orbweaver {

struct ListedStrategy {
  // As on the command line, or the recorded strategy's; given twice, the second one is "NAME (2)".
  std::string name;
  StrategyOptions options;   // of it alone, on top of the recorded ones
  bool is_recorded = false;  // no --strategy named it
};

// Takes every --strategy NAME|FILE[:PARAM=VALUE,…] (cli/strategy_argument.h) and what
// LoadRecordedOptions takes out of `args`. Without a --strategy the list is the recorded one alone.
// --param is for a list of one. `options` and `schema` are those of the first; only the options of
// strategies differ. No strategy is loaded, but to see whether it has retries. Errors are fatal and
// name the option.
absl::StatusOr<std::vector<ListedStrategy>> LoadStrategyList(const lab::RecordingOrigin& origin,
                                                             std::vector<std::string>* args,
                                                             config::Schema& schema,
                                                             ProductOptions* options);

}  // namespace orbweaver
