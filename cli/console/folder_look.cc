#include "cli/console/folder_look.h"

#include "common/base/status.h"

namespace orbweaver {
namespace {

// Opening may read hundreds of megabytes of a write-ahead log.
constexpr Duration kOpenEvery = std::chrono::seconds(10);

}  // namespace

absl::StatusOr<const Frontier*> FolderLook::Look() {
  const SteadyTime now = SystemClock().Now();
  if (frontier_ == nullptr || now - opened_ >= kOpenEvery) {
    frontier_.reset();
    ASSIGN_OR_RETURN(frontier_, Frontier::Open(options_, folder_));
    opened_ = now;
  }
  return frontier_.get();
}

}  // namespace orbweaver
