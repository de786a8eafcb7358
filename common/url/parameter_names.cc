#include "common/url/parameter_names.h"

#include <algorithm>

#include "absl/strings/match.h"

#include "common/base/text.h"

namespace orbweaver {

ParameterNames::ParameterNames(std::span<const std::string> names) {
  for (const std::string& name : names) {
    if (name.ends_with('*')) {
      prefixes_.push_back(name.substr(0, name.size() - 1));
    } else {
      exact_.push_back(name);
    }
  }
}

bool ParameterNames::Contains(std::string_view name) const {
  const auto equal = [name](const std::string& n) {
    return absl::EqualsIgnoreCase(ToAbsl(name), ToAbsl(n));
  };
  const auto begins = [name](const std::string& prefix) {
    return absl::StartsWithIgnoreCase(ToAbsl(name), ToAbsl(prefix));
  };
  return std::ranges::any_of(exact_, equal) || std::ranges::any_of(prefixes_, begins);
}

}  // namespace orbweaver
