// Commands that are written in Python: the program becomes the interpreter.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace orbweaver {

// Python of the version that strategies run in, and the one of the active environment.
extern const char* const kOwnPython;
inline constexpr char kUsersPython[] = "python3";

// Becomes Python with these arguments, which finds the package `orbweaver` and the strategies in
// `directory` that came with this program. Returns when it cannot, with the reason.
absl::Status BecomePython(std::string program, const std::filesystem::path& directory,
                          std::span<const std::string> arguments);

}  // namespace orbweaver
