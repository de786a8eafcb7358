// `orbweaver strategy new` and `test`: a strategy in Python with its test, and how that is run.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "absl/status/status.h"

namespace orbweaver {

// Writes NAME.py and NAME_test.py; `file` is the first of them. Fatal when its name is none of a
// module, or when one of the two is there already.
absl::Status WriteNewStrategy(const std::filesystem::path& file);

// Becomes Python with these arguments, which finds the package `orbweaver` and the strategies in
// `directory` that came with this program. Returns when it cannot, with the reason.
absl::Status BecomePython(const std::filesystem::path& directory,
                          std::span<const std::string> arguments);

}  // namespace orbweaver
