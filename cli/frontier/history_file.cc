#include "cli/frontier/history_file.h"

#include <fstream>
#include <string>
#include <system_error>

#include "common/base/status.h"

namespace orbweaver {
namespace {

// Far above what History::Encode makes.
constexpr std::streamsize kMostBytes = 1 << 20;

}  // namespace

std::filesystem::path HistoryFile(const std::filesystem::path& folder) {
  return folder / "history";
}

absl::Status KeepHistory(const std::filesystem::path& file, const History& history) {
  std::filesystem::path written = file;
  written += ".new";
  std::ofstream stream(written, std::ios::binary | std::ios::trunc);
  stream << history.Encode();
  stream.close();
  if (!stream) return FatalError("write {}: the disk does not take it", written.string());
  std::error_code unmoved;
  std::filesystem::rename(written, file, unmoved);
  if (!unmoved) return absl::OkStatus();
  return FatalError("write {}: {}", file.string(), unmoved.message());
}

absl::Status ReadHistory(const std::filesystem::path& file, History* history) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return absl::OkStatus();
  std::string bytes(static_cast<size_t>(kMostBytes), '\0');
  stream.read(bytes.data(), kMostBytes);
  bytes.resize(static_cast<size_t>(stream.gcount()));
  return Annotate(history->Decode(bytes), file.string());
}

}  // namespace orbweaver
