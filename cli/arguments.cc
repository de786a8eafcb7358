#include "cli/arguments.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace orbweaver {

std::vector<std::string> TakeValues(std::vector<std::string>* args, std::string_view name) {
  std::vector<std::string> values;
  for (size_t i = 0; i < args->size();) {
    const std::string_view arg = (*args)[i];
    const bool joined = arg.starts_with(name) && arg.substr(name.size()).starts_with('=');
    if (!joined && (arg != name || i + 1 == args->size())) {
      ++i;
      continue;
    }
    values.push_back(joined ? std::string(arg.substr(name.size() + 1)) : (*args)[i + 1]);
    const auto begin = args->begin() + static_cast<ptrdiff_t>(i);
    args->erase(begin, begin + (joined ? 1 : 2));
  }
  return values;
}

std::optional<std::string> TakeValue(std::vector<std::string>* args, std::string_view name) {
  std::vector<std::string> values = TakeValues(args, name);
  if (values.empty()) return std::nullopt;
  return std::move(values.back());
}

bool TakeSwitch(std::vector<std::string>* args, std::string_view name) {
  return std::erase(*args, name) > 0;
}

std::optional<std::string> UnknownOption(const std::vector<std::string>& args) {
  const auto found = std::find_if(args.begin(), args.end(), [](const std::string& arg) {
    return arg.size() > 1 && arg.starts_with('-');
  });
  return found == args.end() ? std::nullopt : std::optional(*found);
}

std::string ShellQuoted(std::string_view word) {
  constexpr std::string_view kPlain = "-_./:@%+=,";
  const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || kPlain.find(c) != kPlain.npos;
  });
  if (is_plain) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace orbweaver
