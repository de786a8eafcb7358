#include "common/base/log.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "fmt/format.h"
#include "spdlog/pattern_formatter.h"
#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/base/printable.h"
#include "common/base/repeat_limit.h"
#include "common/base/status.h"

namespace orbweaver {

namespace internal {
std::atomic<LogLevel> lowest_log_level{LogLevel::kInfo};
}

namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

class Sink {
 public:
  Sink() : logger_("orbweaver", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
    logger_.set_level(spdlog::level::trace);
    logger_.flush_on(spdlog::level::trace);
    Configure({});
  }

  void Configure(const LogOptions& options) {
    absl::MutexLock lock(&mutex_);
    logger_.set_formatter(std::make_unique<spdlog::pattern_formatter>(
        options.json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                     : "%Y-%m-%dT%H:%M:%S.%eZ %-7l %v",
        spdlog::pattern_time_type::utc));
    kept_.push_back(std::make_unique<const LogOptions>(options));
    options_.store(kept_.back().get(), std::memory_order_release);
    repeats_ = RepeatLimit(options.repeats_per_ten_seconds);
    LogLevel lowest = options.level;
    for (const auto& [module, level] : options.module_levels) lowest = std::min(lowest, level);
    internal::lowest_log_level.store(lowest, std::memory_order_relaxed);
  }

  bool Enabled(LogLevel level, std::string_view module) const {
    const LogOptions& options = *options_.load(std::memory_order_acquire);
    const auto found = options.module_levels.find(module);
    return level >= (found == options.module_levels.end() ? options.level : found->second);
  }

  void Write(LogLevel level, std::string_view module, fmt::string_view format,
             fmt::format_args args) {
    std::vector<RepeatLimit::Hidden> over;
    bool admitted;
    {
      absl::MutexLock lock(&mutex_);
      const SteadyTime now = SystemClock().Now();
      over = repeats_.TakeOver(now);
      admitted = repeats_.Admit(module, {format.data(), format.size()}, now);
    }
    PrintHidden(over);
    if (admitted) Print(level, module, fmt::vformat(format, args), 0);
  }

  void Flush() {
    std::vector<RepeatLimit::Hidden> all;
    {
      absl::MutexLock lock(&mutex_);
      all = repeats_.TakeAll();
    }
    PrintHidden(all);
  }

 private:
  void PrintHidden(const std::vector<RepeatLimit::Hidden>& hidden) {
    for (const RepeatLimit::Hidden& line : hidden) {
      Print(LogLevel::kWarning, line.module,
            fmt::format("{} more lines like '{}' not shown", line.count, line.format), line.count);
    }
  }

  void Print(LogLevel level, std::string_view module, std::string_view text, int64_t not_shown) {
    std::string line;
    if (options_.load(std::memory_order_acquire)->json) {
      line += R"("module":)";
      AppendJsonString(module, &line);
      line += R"(,"message":)";
      AppendJsonString(text, &line);
      if (not_shown > 0) line += fmt::format(R"(,"not_shown":{})", not_shown);
    } else {
      line += module;
      line += ": ";
      // A line stays one line, whatever a remote server put into it.
      AppendPrintable(text, Lines::kEscape, &line);
    }
    logger_.log(ToSpdlog(level), spdlog::string_view_t(line));
  }

  // Own synchronisation.
  spdlog::logger logger_;
  std::atomic<const LogOptions*> options_{nullptr};

  absl::Mutex mutex_;
  // All that ever held: a thread may still be reading the one before.
  std::vector<std::unique_ptr<const LogOptions>> kept_ ABSL_GUARDED_BY(mutex_);
  RepeatLimit repeats_ ABSL_GUARDED_BY(mutex_){0};
};

Sink& TheSink() {
  static Sink* const sink = new Sink();  // never destroyed: threads may log while the process ends
  return *sink;
}

}  // namespace

absl::Status ParseLogLevel(std::string_view text, LogLevel* level) {
  if (text == "debug") {
    *level = LogLevel::kDebug;
  } else if (text == "info") {
    *level = LogLevel::kInfo;
  } else if (text == "warning") {
    *level = LogLevel::kWarning;
  } else if (text == "error") {
    *level = LogLevel::kError;
  } else {
    return FatalError("log level '{}': expected debug, info, warning or error", text);
  }
  return absl::OkStatus();
}

void ConfigureLog(const LogOptions& options) { TheSink().Configure(options); }

void FlushLog() { TheSink().Flush(); }

bool LogEnabled(LogLevel level, std::string_view module) {
  return TheSink().Enabled(level, module);
}

namespace internal {
void WriteLog(LogLevel level, std::string_view module, fmt::string_view format,
              fmt::format_args args) {
  TheSink().Write(level, module, format, args);
}
}  // namespace internal

}  // namespace orbweaver
