// The configuration that a recorded crawl ran with.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/product_options.h"

#include "common/config/schema.h"
#include "lab/recording/manifest.h"

namespace orbweaver {

// Loads the recorded options, and over them those in `args`, from which it takes --config, --set,
// --strategy NAME|FILE[:NAME=VALUE,…] and --param NAME=VALUE. With a --strategy its parameters are
// those that the command line gives. Passwords, which a recording does not keep, have their
// defaults.
absl::Status LoadRecordedOptions(const lab::RecordingOrigin& origin, std::vector<std::string>* args,
                                 config::Schema& schema, ProductOptions* options);

}  // namespace orbweaver
