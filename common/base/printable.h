// Text from outside on its way to a terminal or a log.
#pragma once

#include <string>
#include <string_view>

namespace orbweaver {

enum class Lines { kKeep, kEscape };

// Appends `text` so that it says nothing to a terminal, whatever a remote server, a file's name or
// a strategy put into it: control characters (C1 among them) and bytes that are no UTF-8 as \xNN, a
// line feed as \n unless lines are kept. A tab stays where lines do.
void AppendPrintable(std::string_view text, Lines lines, std::string* out);

}  // namespace orbweaver
