// The file in the folder of `orbweaver crawl` that keeps its last outcomes: for those who look at
// the folder from another process, or after the crawl, and for its next run.
#pragma once

#include <filesystem>
#include <string_view>

#include "absl/status/status.h"
#include "cli/frontier/recent_outcomes.h"

namespace orbweaver {

std::filesystem::path OutcomesFile(const std::filesystem::path& folder);

// As KeepFile (kept_file.h).
absl::Status KeepOutcomes(const std::filesystem::path& file, const RecentOutcomes& outcomes);

// Leaves *outcomes as they are where there is no file. Poison: it is damaged.
absl::Status ReadOutcomes(const std::filesystem::path& file, RecentOutcomes* outcomes);

// A domain's last ones. Of a folder without such a file, or with a damaged one, nothing is known:
// read_back_to is then `now`.
DomainOutcomes KeptOutcomes(const std::filesystem::path& folder, std::string_view domain,
                            WallTime now);
// RecentOutcomes::LastFailures of the same file.
std::vector<std::optional<Outcome>> KeptFailures(const std::filesystem::path& folder,
                                                 std::span<const std::string> domains);

}  // namespace orbweaver
