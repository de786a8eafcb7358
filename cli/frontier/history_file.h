// The file in the folder of `orbweaver crawl` that keeps its curves over a restart.
#pragma once

#include <filesystem>

#include "absl/status/status.h"
#include "cli/frontier/history.h"

namespace orbweaver {

std::filesystem::path HistoryFile(const std::filesystem::path& folder);

// As KeepFile (kept_file.h).
absl::Status KeepHistory(const std::filesystem::path& file, const History& history);

// Leaves *history as it is where there is no file. Poison: it is damaged.
absl::Status ReadHistory(const std::filesystem::path& file, History* history);

}  // namespace orbweaver
