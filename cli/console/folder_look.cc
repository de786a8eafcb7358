#include "cli/console/folder_look.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include "fmt/format.h"

#include "common/base/status.h"

namespace orbweaver {
namespace {

constexpr Duration kLookEvery = std::chrono::seconds(10);

// Names, sizes and times of its files. Every write of a crawl changes the size of one.
std::string FilesOf(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    if (!entry->is_regular_file(gone)) continue;
    const uintmax_t size = entry->file_size(gone);
    const auto time = entry->last_write_time(gone).time_since_epoch().count();
    files.push_back(fmt::format("{} {} {}\n", entry->path().filename().string(), size, time));
  }
  std::ranges::sort(files);
  return fmt::format("{}", fmt::join(files, ""));
}

}  // namespace

absl::StatusOr<const Frontier*> FolderLook::Look() {
  const SteadyTime now = clock_.Now();
  if (frontier_ != nullptr && now - looked_ < kLookEvery) return frontier_.get();
  // First, so that a change while it is being opened is not passed over.
  std::string files = FilesOf(folder_);
  if (frontier_ == nullptr || files != files_) {
    frontier_.reset();
    ASSIGN_OR_RETURN(frontier_, Frontier::Open(options_, folder_));
    files_ = std::move(files);
  }
  looked_ = now;
  return frontier_.get();
}

}  // namespace orbweaver
