#include "cli/strategy_argument.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "fmt/format.h"

#include "common/base/status.h"

namespace orbweaver {
namespace {

constexpr char kQuote = '"';

// FILE.py or FILE.py#CLASS, which the strategy `python` runs.
bool IsPython(std::string_view strategy) {
  return strategy.ends_with(".py") || strategy.find(".py#") != strategy.npos;
}

std::vector<std::pair<std::string, std::string>> PythonSettings(std::string_view strategy) {
  const size_t mark = strategy.ends_with(".py") ? strategy.size() : strategy.rfind('#');
  const std::string module = std::filesystem::absolute(strategy.substr(0, mark)).string();
  std::vector<std::pair<std::string, std::string>> settings = {
      {"strategy.path", ""}, {"strategy.name", "python"}, {"strategy.params.module", module}};
  if (mark < strategy.size()) {
    settings.emplace_back("strategy.params.class", strategy.substr(mark + 1));
  }
  return settings;
}

bool IsLibrary(std::string_view strategy) {
  return strategy.ends_with(".so") || strategy.find(".so#") != strategy.npos ||
         strategy.find('/') != strategy.npos;
}

// The length of the parameter's name that `text` begins with, where '=' follows it; 0 without.
size_t NameLength(std::string_view text) {
  const auto end = std::ranges::find_if_not(
      text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
  return end == text.end() || *end != '=' ? 0 : static_cast<size_t>(end - text.begin());
}

// Where the first `separator` stands that a parameter follows, or npos.
size_t FindParameter(std::string_view text, char separator) {
  for (size_t at = text.find(separator); at != text.npos; at = text.find(separator, at + 1)) {
    if (NameLength(text.substr(at + 1)) > 0) return at;
  }
  return text.npos;
}

// Takes a value in quotes out of `text`, which begins with one. Nothing: it does not end.
std::optional<std::string> TakeQuoted(std::string_view* text) {
  std::string value;
  for (size_t i = 1; i < text->size(); ++i) {
    if ((*text)[i] == kQuote) {
      const bool is_doubled = i + 1 < text->size() && (*text)[i + 1] == kQuote;
      if (!is_doubled) {
        text->remove_prefix(i + 1);
        return value;
      }
      ++i;
    }
    value.push_back((*text)[i]);
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::vector<std::pair<std::string, std::string>>> StrategySettings(
    std::string_view argument) {
  const size_t colon = FindParameter(argument, ':');
  const std::string strategy(argument.substr(0, colon));
  if (strategy.empty()) return FatalError("{}: expected NAME, FILE.py or FILE.so", argument);
  std::vector<std::pair<std::string, std::string>> settings;
  if (IsPython(strategy)) {
    settings = PythonSettings(strategy);
  } else if (IsLibrary(strategy)) {
    settings.emplace_back("strategy.path", std::filesystem::absolute(strategy).string());
  } else if (const size_t at = strategy.find(':'); at != strategy.npos) {
    return FatalError("{}: expected PARAMETER=VALUE behind the colon, not '{}'", argument,
                      strategy.substr(at + 1));
  } else {
    settings = {{"strategy.path", ""}, {"strategy.name", strategy}};
  }
  // Begins with the separator of the next parameter.
  std::string_view rest = colon == argument.npos ? "" : argument.substr(colon);
  while (!rest.empty()) {
    const bool is_separated = rest[0] == ',' || rest.size() == argument.size() - colon;
    const size_t length = is_separated ? NameLength(rest.substr(1)) : 0;
    if (length == 0) {
      return FatalError("{}: expected ,PARAMETER=VALUE and not '{}'", argument, rest);
    }
    rest.remove_prefix(1);
    std::string name = fmt::format("strategy.params.{}", rest.substr(0, length));
    if (std::ranges::count(settings, name, [](const auto& setting) { return setting.first; }) > 0) {
      return FatalError("{}: parameter '{}' is given twice", argument, rest.substr(0, length));
    }
    rest.remove_prefix(length + 1);
    std::string value;
    if (rest.starts_with(kQuote)) {
      auto quoted = TakeQuoted(&rest);
      if (!quoted) return FatalError("{}: a value's closing quote is missing", argument);
      value = *std::move(quoted);
    } else {
      value = rest.substr(0, FindParameter(rest, ','));
      rest.remove_prefix(value.size());
    }
    settings.emplace_back(std::move(name), std::move(value));
  }
  return settings;
}

}  // namespace orbweaver
