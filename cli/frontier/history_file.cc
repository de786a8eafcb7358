#include "cli/frontier/history_file.h"

#include <string>

#include "cli/frontier/kept_file.h"

#include "common/base/status.h"

namespace orbweaver {
namespace {

// Far above what History::Encode makes.
constexpr size_t kMostBytes = size_t{1} << 20;

}  // namespace

std::filesystem::path HistoryFile(const std::filesystem::path& folder) {
  return folder / "history";
}

absl::Status KeepHistory(const std::filesystem::path& file, const History& history) {
  return KeepFile(file, history.Encode());
}

absl::Status ReadHistory(const std::filesystem::path& file, History* history) {
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) return absl::OkStatus();
  return Annotate(history->Decode(ReadKeptFile(file, kMostBytes)), file.string());
}

}  // namespace orbweaver
