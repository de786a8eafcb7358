// The mirror of a crawl, once it has ended.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/product_options.h"

namespace orbweaver {

// Completes the mirror in the folder of outputs; lines for people that say what it has. Empty when
// nothing was kept for one.
absl::StatusOr<std::string> CompleteMirror(const ProductOptions& options);

}  // namespace orbweaver
