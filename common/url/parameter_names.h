// A list of parameter names, as the options give them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orbweaver {

// Immutable, so thread-safe.
class ParameterNames {
 public:
  // Names in any case; a trailing `*` stands for any rest.
  explicit ParameterNames(std::span<const std::string> names);

  bool Contains(std::string_view name) const;

 private:
  std::vector<std::string> exact_;
  std::vector<std::string> prefixes_;
};

}  // namespace orbweaver
