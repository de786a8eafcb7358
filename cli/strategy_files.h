// `orbweaver strategy new`: a strategy in Python with its test.
#pragma once

#include <filesystem>

#include "absl/status/status.h"

namespace orbweaver {

// Writes NAME.py and NAME_test.py; `file` is the first of them. Fatal when its name is none of a
// module, or when one of the two is there already.
absl::Status WriteNewStrategy(const std::filesystem::path& file);

}  // namespace orbweaver
