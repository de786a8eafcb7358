#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace orbweaver {

// All bytes of the file at `path`, or of standard input for `-`; blocks until its end. Fatal when
// it cannot be read, or has more than `max_bytes`.
absl::StatusOr<std::string> ReadFileOrStdin(const std::string& path, size_t max_bytes);

}  // namespace orbweaver
