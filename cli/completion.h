// The completions of a command line of `orbweaver`, for the shells.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace orbweaver {

struct Completion {
  struct Word {
    std::string text;
    std::string doc;  // may be empty
  };
  std::vector<Word> words;
  // The shell completes paths itself.
  enum class Paths { kNone, kFiles, kFolders };
  Paths paths = Paths::kNone;
};

// Values that only the program knows: what may follow the option `name` (`--strategy`), or stand
// for an operand that the usage calls `name` (`NAME`), where the command is `command`. `typed` is
// the beginning of the value.
using CompletionValues = std::function<std::vector<Completion::Word>(
    std::string_view command, std::string_view name, std::string_view typed)>;

// `line`: the words after `orbweaver`, the last of which is the beginning of the word to complete
// (empty: nothing of it is typed). All that is offered begins with it.
Completion Complete(std::span<const std::string> line, std::span<const Command> commands,
                    const CompletionValues& values);

}  // namespace orbweaver
