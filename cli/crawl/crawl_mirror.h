// The mirror of a crawl, once it has ended.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/product_options.h"

#include "common/base/clock.h"

namespace orbweaver {

// Completes the mirror in the folder of outputs; lines for people that say what it has. Empty when
// nothing was kept for one. Waits so long for another process that is at it.
absl::StatusOr<std::string> CompleteMirror(const ProductOptions& options, Duration patience);

}  // namespace orbweaver
