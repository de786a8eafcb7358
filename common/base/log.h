// One line a fact, to stderr, as text or as JSON.
//
//   Log(LogLevel::kInfo, "spider", "connected to {} in {} ms", host, ms);
//
// The module names the part that speaks and can have a level of its own. Thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "fmt/core.h"

namespace orbweaver {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

struct LogOptions {
  bool json = false;
  LogLevel level = LogLevel::kInfo;
  std::map<std::string, LogLevel, std::less<>> module_levels;
  // The same line (module and format string) more often than this in ten seconds is counted instead
  // of printed; 0 prints all.
  int repeats_per_ten_seconds = 20;
};

// "debug", "info", "warning" or "error".
absl::Status ParseLogLevel(std::string_view text, LogLevel* level);

// Before threads start; without it the defaults above hold.
void ConfigureLog(const LogOptions& options);

bool LogEnabled(LogLevel level, std::string_view module);

namespace internal {
// `site` identifies the line for the limit on repeats.
void WriteLog(LogLevel level, std::string_view module, std::string_view site,
              std::string_view text);
}  // namespace internal

template <typename... Args>
void Log(LogLevel level, std::string_view module, fmt::format_string<Args...> format,
         Args&&... args) {
  if (!LogEnabled(level, module)) return;
  const fmt::string_view site = format;
  internal::WriteLog(level, module, {site.data(), site.size()},
                     fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace orbweaver
