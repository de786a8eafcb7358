#include "cli/arguments.h"

#include <algorithm>

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

}  // namespace orbweaver
