#include "strategy_worker/host/parameters.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "common/base/status.h"
#include "common/config/excerpt.h"
#include "common/config/nearest.h"
#include "common/config/value_text.h"

namespace orbweaver {
namespace {

bool IsOneOf(std::string_view type, std::initializer_list<std::string_view> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

bool HasBounds(const orbweaver_parameter& parameter) { return parameter.min <= parameter.max; }

bool Fits(const orbweaver_parameter& parameter, std::string_view text) {
  const std::string_view type = parameter.type;
  if (type == "bool") {
    bool value;
    return config::ParseBool(text, &value);
  }
  if (type == "integer") {
    int64_t value;
    return config::ParseNumber(text, &value) &&
           (!HasBounds(parameter) || (static_cast<double>(value) >= parameter.min &&
                                      static_cast<double>(value) <= parameter.max));
  }
  if (type == "number") {
    double value;
    return config::ParseNumber(text, &value) &&
           (!HasBounds(parameter) || (value >= parameter.min && value <= parameter.max));
  }
  return true;
}

bool IsName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

absl::Status CheckDeclarations(std::span<const orbweaver_parameter> parameters) {
  std::set<std::string_view> names;
  for (const orbweaver_parameter& parameter : parameters) {
    if (!parameter.name || !parameter.type || !parameter.default_value || !parameter.doc) {
      return FatalError("a parameter lacks its name, type, default or doc. Declare all four");
    }
    if (!IsName(parameter.name)) {
      return FatalError(
          "parameter '{}': a name has lower-case letters, digits and underscores only",
          config::Excerpt(parameter.name));
    }
    if (!names.insert(parameter.name).second) {
      return FatalError("parameter '{}' is declared twice. Rename one", parameter.name);
    }
    if (!IsOneOf(parameter.type, {"integer", "number", "bool", "text", "list"})) {
      return FatalError(
          "parameter '{}' is of type '{}'. There are integer, number, bool, text and list",
          parameter.name, config::Excerpt(parameter.type));
    }
    if (!Fits(parameter, parameter.default_value)) {
      return FatalError("parameter '{}': its default '{}' is not {}. Correct the declaration",
                        parameter.name, config::Excerpt(parameter.default_value),
                        ExpectedValue(parameter));
    }
  }
  return absl::OkStatus();
}

std::string ExpectedValue(const orbweaver_parameter& parameter) {
  const std::string_view type = parameter.type;
  if (type == "bool") return "true or false";
  if (type == "list") return "a list: texts with commas between them";
  if (type == "text") return "a text";
  std::string expected = type == "integer" ? "an integer" : "a number";
  if (HasBounds(parameter)) {
    expected += fmt::format(" from {} to {}", config::PrintNumber(parameter.min),
                            config::PrintNumber(parameter.max));
  }
  return expected;
}

absl::StatusOr<std::vector<std::string>> ParameterValues(
    std::span<const orbweaver_parameter> parameters,
    const std::map<std::string, std::string>& configured) {
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const orbweaver_parameter& parameter : parameters) {
    names.emplace_back(parameter.name);
    const auto found = configured.find(parameter.name);
    values.emplace_back(found == configured.end() ? parameter.default_value : found->second);
    if (!Fits(parameter, values.back())) {
      return FatalError("parameter '{}': '{}' is not {}", parameter.name,
                        config::Excerpt(values.back()), ExpectedValue(parameter));
    }
  }
  for (const auto& [name, value] : configured) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string nearest = config::Nearest(name, names);
    return FatalError("parameter '{}' is unknown. {}", config::Excerpt(name),
                      nearest.empty() ? "`orbweaver strategy describe` lists those there are"
                                      : fmt::format("Did you mean '{}'?", nearest));
  }
  return values;
}

}  // namespace orbweaver
