// How commands talk: the one place through which text for people goes, since seeds, names of files,
// servers' answers and strategies' messages may hold anything.
#pragma once

#include <cstdio>
#include <string_view>

#include "fmt/core.h"

namespace orbweaver {

namespace internal {
void PrintText(std::FILE* to, fmt::string_view format, fmt::format_args args);
}

// Prints with everything escaped that a terminal obeys (common/base/printable.h); lines stay lines.
// Throws std::system_error when the write fails, as fmt::print does.
template <typename... Args>
void Print(fmt::format_string<Args...> format, Args&&... args) {
  internal::PrintText(stdout, format, fmt::make_format_args(args...));
}
// The same on standard error.
template <typename... Args>
void PrintError(fmt::format_string<Args...> format, Args&&... args) {
  internal::PrintText(stderr, format, fmt::make_format_args(args...));
}

// Content that was asked for, on standard output: unchanged for a program or a file, escaped on a
// terminal. False: it could not be written.
bool PrintContent(std::string_view content);

// Prints "orbweaver COMMAND: MESSAGE." as a line on standard error, with a full stop where the
// message has none. Returns `code`, which the command ends with.
int Fail(int code, std::string_view command, std::string_view message);

}  // namespace orbweaver
