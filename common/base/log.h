// One line a fact, to stderr, as text or as JSON.
//
//   Log(LogLevel::kInfo, "spider", "connected to {} in {} ms", host, ms);
//
// The module names the part that speaks and can have a level of its own. Thread-safe; a level that
// is off costs one relaxed load.
#pragma once

#include <atomic>
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
  // of printed, and the count printed when the ten seconds are over; 0 prints all.
  int repeats_per_ten_seconds = 20;
};

// "debug", "info", "warning" or "error".
absl::Status ParseLogLevel(std::string_view text, LogLevel* level);

// At any time, but lines of other threads then come under the old or the new options; without it
// the defaults above hold. Each call keeps a few hundred bytes for good.
void ConfigureLog(const LogOptions& options);

// Prints the counts of what was not shown and not yet accounted for: before the process ends.
void FlushLog();

bool LogEnabled(LogLevel level, std::string_view module);

namespace internal {

// The lowest level that any module prints.
extern std::atomic<LogLevel> lowest_log_level;

void WriteLog(LogLevel level, std::string_view module, fmt::string_view format,
              fmt::format_args args);

}  // namespace internal

template <typename... Args>
void Log(LogLevel level, std::string_view module, fmt::format_string<Args...> format,
         Args&&... args) {
  if (level < internal::lowest_log_level.load(std::memory_order_relaxed)) return;
  if (!LogEnabled(level, module)) return;
  internal::WriteLog(level, module, format, fmt::make_format_args(args...));
}

}  // namespace orbweaver
