// A command's options among its arguments. Each call takes what it finds out, so that what is left
// at the end is operands, or an option that nobody knows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orbweaver {

// The values of all `name VALUE` and `name=VALUE`, in their order. An option without its value
// stays.
std::vector<std::string> TakeValues(std::vector<std::string>* args, std::string_view name);

// The last of them: it counts.
std::optional<std::string> TakeValue(std::vector<std::string>* args, std::string_view name);

// Whether `name` was there.
bool TakeSwitch(std::vector<std::string>* args, std::string_view name);

// The first of `args` that looks like an option.
std::optional<std::string> UnknownOption(const std::vector<std::string>& args);

// As a shell takes it for one word.
std::string ShellQuoted(std::string_view word);

}  // namespace orbweaver
