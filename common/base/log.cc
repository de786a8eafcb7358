#include "common/base/log.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <sys/uio.h>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "spdlog/pattern_formatter.h"
#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/base/text.h"

namespace orbweaver {
namespace {

constexpr Duration kWindow = std::chrono::seconds(10);

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

std::string JsonEscape(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  return out;
}

// A log line stays one line, whatever a remote server put into it.
std::string OneLine(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return out;
}

class Sink {
 public:
  Sink() : logger_("orbweaver", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
    logger_.set_level(spdlog::level::trace);
    logger_.flush_on(spdlog::level::trace);
    Configure({});
  }

  void Configure(const LogOptions& options) {
    auto formatter = std::make_unique<spdlog::pattern_formatter>(
        options.json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                     : "%Y-%m-%d %H:%M:%S.%e %-7l %v",
        options.json ? spdlog::pattern_time_type::utc : spdlog::pattern_time_type::local);
    logger_.set_formatter(std::move(formatter));
    absl::MutexLock lock(&mutex_);
    options_ = options;
    sites_.clear();
    lowest_.store(options.level);
    for (const auto& [module, level] : options.module_levels) {
      if (level < lowest_.load()) lowest_.store(level);
    }
  }

  bool Enabled(LogLevel level, std::string_view module) {
    if (level < lowest_.load(std::memory_order_relaxed)) return false;
    absl::MutexLock lock(&mutex_);
    const auto found = options_.module_levels.find(module);
    return level >= (found == options_.module_levels.end() ? options_.level : found->second);
  }

  void Write(LogLevel level, std::string_view module, std::string_view site,
             std::string_view text) {
    bool json;
    int suppressed = 0;
    {
      absl::MutexLock lock(&mutex_);
      json = options_.json;
      if (options_.repeats_per_ten_seconds > 0) {
        // Formats are literals: their addresses identify them, and there are only so many.
        Site& seen = sites_[site.data()];
        const SteadyTime now = SystemClock().Now();
        if (now - seen.window_start >= kWindow) {
          suppressed = std::exchange(seen.suppressed, 0);
          seen.window_start = now;
          seen.printed = 0;
        }
        if (++seen.printed > options_.repeats_per_ten_seconds) {
          ++seen.suppressed;
          return;
        }
      }
    }
    if (json) {
      std::string line =
          fmt::format(R"("module":"{}","message":"{}")", JsonEscape(module), JsonEscape(text));
      if (suppressed > 0) line += fmt::format(R"(,"suppressed":{})", suppressed);
      logger_.log(ToSpdlog(level), line);
    } else {
      std::string line = fmt::format("{}: {}", module, OneLine(text));
      if (suppressed > 0) line += fmt::format(" ({} more like this not shown)", suppressed);
      logger_.log(ToSpdlog(level), line);
    }
  }

 private:
  struct Site {
    SteadyTime window_start{};
    int printed = 0;
    int suppressed = 0;
  };

  spdlog::logger logger_;
  std::atomic<LogLevel> lowest_{LogLevel::kInfo};

  absl::Mutex mutex_;
  LogOptions options_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<const char*, Site> sites_ ABSL_GUARDED_BY(mutex_);
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

bool LogEnabled(LogLevel level, std::string_view module) {
  return TheSink().Enabled(level, module);
}

namespace internal {
void WriteLog(LogLevel level, std::string_view module, std::string_view site,
              std::string_view text) {
  TheSink().Write(level, module, site, text);
}
}  // namespace internal

}  // namespace orbweaver
