// Errors of the folder that outputs are written to.
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace orbweaver {

// The fatal status of `errno` for `action` on `path`. A full disk is told with its remedy.
absl::Status DiskError(std::string_view action, std::string_view path);

}  // namespace orbweaver
