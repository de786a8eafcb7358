#include "cli/message.h"

#include <string>
#include <unistd.h>

#include "fmt/format.h"

#include "common/base/printable.h"

namespace orbweaver {

void internal::PrintText(std::FILE* to, fmt::string_view format, fmt::format_args args) {
  std::string text;
  AppendPrintable(fmt::vformat(format, args), Lines::kKeep, &text);
  fmt::print(to, "{}", text);
}

bool PrintContent(std::string_view content) {
  std::string text;
  if (isatty(STDOUT_FILENO) == 1) {
    AppendPrintable(content, Lines::kKeep, &text);
    content = text;
  }
  return std::fwrite(content.data(), 1, content.size(), stdout) == content.size();
}

int Fail(int code, std::string_view command, std::string_view message) {
  const std::string_view end =
      message.empty() || std::string_view(".?!\n").find(message.back()) == message.npos ? ".\n"
      : message.back() == '\n'                                                          ? ""
                                                                                        : "\n";
  PrintError("orbweaver {}: {}{}", command, message, end);
  return code;
}

}  // namespace orbweaver
