// The origin of a recording, as the options tell it.
#pragma once

#include <filesystem>
#include <optional>

#include "cli/product_options.h"

#include "common/config/schema.h"
#include "lab/recording/manifest.h"

namespace orbweaver {

// Of the logs in a crawl's folder, or in the cluster of the options. Which strategy runs is known
// of a folder, and of a cluster where the options say it.
lab::RecordingOrigin OriginOf(const ProductOptions& options, const config::Schema& schema,
                              const std::optional<std::filesystem::path>& folder);

}  // namespace orbweaver
