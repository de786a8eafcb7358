#include "cli/help_text.h"

#include <algorithm>

#include "fmt/format.h"

#include "common/config/nearest.h"

namespace orbweaver {
namespace {

constexpr std::string_view kUsage = "usage: ";

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string> WordsOf(std::string_view line) {
  std::vector<std::string> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) return words;
    const size_t end = std::min(line.find(' '), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

std::string_view Trim(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

bool IsOption(std::string_view word) { return word.starts_with("--") && word.size() > 2; }

// `--name`, `--name=VALUE`, and the words of its value.
HelpText::Option MakeOption(std::string_view word, std::string_view value, std::string_view doc) {
  while (word.ends_with(',')) word.remove_suffix(1);
  const size_t equals = word.find('=');
  if (equals != std::string_view::npos) value = word.substr(equals + 1);
  return {.name = std::string(word.substr(0, equals)),
          .value = std::string(value),
          .doc = std::string(doc)};
}

void AddOption(HelpText* help, HelpText::Option option) {
  const auto same = [&](const HelpText::Option& other) { return other.name == option.name; };
  if (std::any_of(help->options.begin(), help->options.end(), same)) return;
  help->options.push_back(std::move(option));
}

// An option's own line: "  --data DIR    that folder", "  -f, --force    …".
void ReadOptionLine(std::string_view line, std::string_view next, HelpText* help) {
  const std::string_view text = Trim(line);
  const size_t gap = text.find("  ");
  std::string_view doc =
      gap == std::string_view::npos ? std::string_view() : Trim(text.substr(gap));
  if (doc.empty() && next.find_first_not_of(' ') > line.find_first_not_of(' ')) doc = Trim(next);
  const std::vector<std::string> words = WordsOf(text.substr(0, gap));
  for (size_t i = 0; i < words.size(); ++i) {
    if (!IsOption(words[i])) continue;
    const bool has_value = i + 1 < words.size() && !words[i + 1].starts_with('-');
    AddOption(help, MakeOption(words[i], has_value ? words[i + 1] : "", doc));
  }
}

// Reads the part behind "orbweaver COMMAND": operands, and options with or without brackets.
void ReadUsage(std::string_view line, HelpText* help, std::vector<HelpText::Option>* options) {
  const std::vector<std::string> words = WordsOf(line);
  std::vector<std::string>& operands = help->operands.emplace_back();
  for (size_t i = 2; i < words.size(); ++i) {
    std::string_view word = words[i];
    const bool bracket = word.starts_with('[');
    if (!IsOption(word.substr(bracket ? 1 : 0))) {
      if (word == "[OPTIONS]") continue;
      if (word == "|" && !operands.empty() && i + 1 < words.size()) {  // [NAME | FILE.so]
        operands.back() += "|" + words[++i];
      } else {
        operands.emplace_back(word);
      }
      continue;
    }
    if (bracket) word.remove_prefix(1);
    std::string_view value;
    const size_t closed = word.find(']');
    if (closed == std::string_view::npos && i + 1 < words.size() &&
        !words[i + 1].starts_with('[')) {
      value = words[++i];
      value = value.substr(0, value.find(']'));
    }
    options->push_back(MakeOption(word.substr(0, closed), value, ""));
  }
}

}  // namespace

HelpText ReadHelp(std::string_view help) {
  HelpText read;
  std::vector<HelpText::Option> in_usage;
  const std::vector<std::string_view> lines = LinesOf(help);
  bool usage = true;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = lines[i];
    if (line.starts_with(kUsage)) line.remove_prefix(kUsage.size());
    usage = usage && Trim(line).starts_with("orbweaver ");
    if (usage) {
      ReadUsage(line, &read, &in_usage);
    } else if (line.starts_with("  ") && Trim(line).starts_with('-')) {
      ReadOptionLine(line, i + 1 < lines.size() ? lines[i + 1] : std::string_view(), &read);
    }
  }
  for (HelpText::Option& option : in_usage) AddOption(&read, std::move(option));
  return read;
}

std::string WrongOption(std::string_view help, std::string_view arg) {
  if (!arg.starts_with('-')) {
    return fmt::format("'{}' is one operand too many", arg);
  }
  std::vector<std::string> names;
  for (const HelpText::Option& option : ReadHelp(help).options) {
    if (option.name == arg && !option.value.empty()) {
      return fmt::format("option '{}' lacks its value: {}", arg, option.value);
    }
    names.push_back(option.name);
  }
  const std::string nearest = config::Nearest(arg.substr(0, arg.find('=')), names);
  const std::string unknown = fmt::format("option '{}' is unknown", arg);
  return nearest.empty() ? unknown : fmt::format("{} (did you mean {}?)", unknown, nearest);
}

}  // namespace orbweaver
