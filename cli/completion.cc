#include "cli/completion.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "cli/help_text.h"

namespace orbweaver {
namespace {

// The words of "[--check|show]", "FILE|-", "NAME|FILE.so]": what a usage allows in one place.
std::vector<std::string> Alternatives(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == '|') {
      words.emplace_back();
    } else if (c != '[' && c != ']') {
      words.back() += c;
    }
  }
  constexpr std::string_view kEllipsis = "…";
  for (std::string& word : words) {
    if (word.ends_with(kEllipsis)) word.resize(word.size() - kEllipsis.size());
  }
  return words;
}

// Stands for itself; capitals stand for something.
bool IsLiteral(std::string_view word) {
  return word.size() > 1 && std::none_of(word.begin(), word.end(), [](unsigned char c) {
           return std::isupper(c) != 0 || c > 0x7f;
         });
}

class Completer {
 public:
  Completer(std::string_view command, std::string_view typed, const CompletionValues& values)
      : command_(command), typed_(typed), values_(values) {}

  void Offer(std::string_view text, std::string_view doc) {
    if (text.starts_with(typed_)) result_.words.push_back({std::string(text), std::string(doc)});
  }

  // `place`: what the help calls it: "DIR", "FILE|-", "check|show"; `name`: as for
  // CompletionValues.
  void OfferPlace(std::string_view place, std::string_view name, std::string_view before) {
    for (const std::string& word : Alternatives(place)) {
      if (IsLiteral(word)) {
        Offer(std::string(before) + word, "");
      } else if (word.starts_with("FILE") || word.starts_with("PATH")) {
        result_.paths = Completion::Paths::kFiles;
      } else if (word.starts_with("DIR") && result_.paths == Completion::Paths::kNone) {
        result_.paths = Completion::Paths::kFolders;
      } else {
        const std::string_view typed = typed_.substr(std::min(before.size(), typed_.size()));
        for (const Completion::Word& value : values_(command_, name.empty() ? word : name, typed)) {
          Offer(std::string(before) + value.text, value.doc);
        }
      }
    }
  }

  Completion result() && { return std::move(result_); }

 private:
  const std::string_view command_;
  const std::string_view typed_;
  const CompletionValues& values_;
  Completion result_;
};

const HelpText::Option* FindOption(const HelpText& help, std::string_view name) {
  const auto found =
      std::find_if(help.options.begin(), help.options.end(),
                   [&](const HelpText::Option& option) { return option.name == name; });
  return found == help.options.end() ? nullptr : &*found;
}

// The operands among `words`; whether the last word is the value of the option before it is in
// `value_of`.
std::vector<std::string> OperandsOf(std::span<const std::string> words, const HelpText& help,
                                    const HelpText::Option** value_of, bool* only_operands) {
  std::vector<std::string> operands;
  for (size_t i = 0; i < words.size(); ++i) {
    if (*only_operands || words[i] == "-" || !words[i].starts_with('-')) {
      operands.push_back(words[i]);
    } else if (words[i] == "--") {
      *only_operands = true;
    } else if (const auto* option = FindOption(help, words[i]); option && !option->value.empty()) {
      if (i + 1 == words.size()) *value_of = option;
      ++i;
    }
  }
  return operands;
}

// Whether a usage line fits what stands before: its literal words are there.
bool Fits(const std::vector<std::string>& usage, const std::vector<std::string>& operands) {
  for (size_t i = 0; i < std::min(usage.size(), operands.size()); ++i) {
    const std::vector<std::string> allowed = Alternatives(usage[i]);
    const bool literal = std::all_of(allowed.begin(), allowed.end(), IsLiteral);
    if (literal && std::find(allowed.begin(), allowed.end(), operands[i]) == allowed.end()) {
      return false;
    }
  }
  return true;
}

void OfferOperand(const HelpText& help, const std::vector<std::string>& operands,
                  Completer* completer) {
  std::vector<std::string> offered;
  for (const std::vector<std::string>& usage : help.operands) {
    if (usage.empty() || !Fits(usage, operands)) continue;
    const bool repeats = usage.back().find("…") != std::string::npos;
    if (operands.size() >= usage.size() && !repeats) continue;
    const std::string& place = usage[std::min(operands.size(), usage.size() - 1)];
    if (std::find(offered.begin(), offered.end(), place) != offered.end()) continue;
    offered.push_back(place);
    completer->OfferPlace(place, "", "");
  }
}

Completion CompleteFirst(std::string_view typed, std::span<const Command> commands,
                         const CompletionValues& values) {
  Completer completer("", typed, values);
  for (const Command& command : commands) {
    if (command.summary != nullptr) completer.Offer(command.name, command.summary);
  }
  completer.Offer("help", "Explain a command");
  if (typed.starts_with('-')) {
    completer.Offer("--help", "List the commands");
    completer.Offer("--version", "Print the version");
  }
  return std::move(completer).result();
}

}  // namespace

Completion Complete(std::span<const std::string> line, std::span<const Command> commands,
                    const CompletionValues& values) {
  if (line.size() <= 1) return CompleteFirst(line.empty() ? "" : line[0], commands, values);
  const std::string& typed = line.back();
  if (line[0] == "help") {
    return line.size() == 2 ? CompleteFirst(typed, commands, values) : Completion();
  }
  const auto command = std::find_if(commands.begin(), commands.end(),
                                    [&](const Command& one) { return line[0] == one.name; });
  if (command == commands.end() || command->summary == nullptr) return {};
  const HelpText help = ReadHelp(command->help);
  const HelpText::Option* value_of = nullptr;
  bool only_operands = false;
  const std::vector<std::string> operands =
      OperandsOf(line.subspan(1, line.size() - 2), help, &value_of, &only_operands);
  Completer completer(command->name, typed, values);
  const size_t equals = typed.find('=');
  if (value_of != nullptr) {
    completer.OfferPlace(value_of->value, value_of->name, "");
  } else if (!only_operands && typed.starts_with("--") && equals != std::string::npos) {
    const auto* option = FindOption(help, std::string_view(typed).substr(0, equals));
    if (option != nullptr && !option->value.empty()) {
      completer.OfferPlace(option->value, option->name,
                           std::string_view(typed).substr(0, equals + 1));
    }
  } else if (!only_operands && typed.starts_with('-')) {
    for (const HelpText::Option& option : help.options) completer.Offer(option.name, option.doc);
  } else {
    OfferOperand(help, operands, &completer);
  }
  return std::move(completer).result();
}

}  // namespace orbweaver
