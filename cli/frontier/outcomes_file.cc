#include "cli/frontier/outcomes_file.h"

#include <system_error>

#include "cli/frontier/kept_file.h"

#include "common/base/status.h"

namespace orbweaver {

std::filesystem::path OutcomesFile(const std::filesystem::path& folder) {
  return folder / "outcomes";
}

absl::Status KeepOutcomes(const std::filesystem::path& file, const RecentOutcomes& outcomes) {
  return KeepFile(file, outcomes.Encode());
}

absl::Status ReadOutcomes(const std::filesystem::path& file, RecentOutcomes* outcomes) {
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) return absl::OkStatus();
  return Annotate(outcomes->Decode(ReadKeptFile(file, RecentOutcomes::kMostBytes)), file.string());
}

DomainOutcomes KeptOutcomes(const std::filesystem::path& folder, std::string_view domain,
                            WallTime now) {
  RecentOutcomes kept;
  const std::string bytes = ReadKeptFile(OutcomesFile(folder), RecentOutcomes::kMostBytes);
  if (!kept.Decode(bytes).ok()) return {.outcomes = {}, .read_back_to = now};
  return kept.Of(domain, OutcomeBounds().outcomes);
}

std::vector<std::optional<Outcome>> KeptFailures(const std::filesystem::path& folder,
                                                 std::span<const std::string> domains) {
  RecentOutcomes kept;
  const std::string bytes = ReadKeptFile(OutcomesFile(folder), RecentOutcomes::kMostBytes);
  if (!kept.Decode(bytes).ok()) return std::vector<std::optional<Outcome>>(domains.size());
  return kept.LastFailures(domains);
}

}  // namespace orbweaver
