// A command's help text, read. The help texts are the only list of the commands' options: shell
// completion and "did you mean" are made from them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orbweaver {

struct HelpText {
  struct Option {
    std::string name;   // "--data"
    std::string value;  // "DIR", "NAME=VALUE", "scanner|gumbo"; empty: a switch
    std::string doc;    // its first line
  };
  // The operands of each usage line, in their order: {"dump", "TOPIC"}, {"FILE|-"}, {"[URL…]"}.
  std::vector<std::vector<std::string>> operands;
  // Those that have a line, then those that stand in the usage only.
  std::vector<Option> options;
};

// `help` begins with "usage: orbweaver COMMAND …", and further usage lines are indented below. An
// option's line is indented, and two spaces or a new line stand before its doc.
HelpText ReadHelp(std::string_view help);

// Why a command that has read all that it knows is left with `arg`: "option '--dleay' is unknown
// (did you mean --delay?)", or it lacks its value, or is no option and one operand too many.
std::string WrongOption(std::string_view help, std::string_view arg);

}  // namespace orbweaver
