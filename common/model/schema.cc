#include "common/model/schema.h"

#include <string>

#include "common/base/status.h"

namespace orbweaver {
namespace {

// Anyone's bytes, made fit for a log line.
std::string Printable(std::string_view value) {
  constexpr size_t kShown = 64;
  std::string shown(value.substr(0, kShown));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  if (value.size() > kShown) shown += "…";
  return shown;
}

}  // namespace

absl::Status CheckSchema(std::string_view value) {
  if (value.empty() || value == kSchema) return absl::OkStatus();
  return PoisonError(
      "read message: schema '{}', '{}' is known. Upgrade this worker if a newer one wrote it.",
      Printable(value), kSchema);
}

}  // namespace orbweaver
