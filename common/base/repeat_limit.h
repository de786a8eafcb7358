// Decides which of the log's lines are printed: the same line too often in a window is counted
// instead.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "common/base/clock.h"

namespace orbweaver {

// Place: inside the log. Not thread-safe.
class RepeatLimit {
 public:
  // The number of lines of one kind that were not printed in one window.
  struct Hidden {
    std::string module;
    std::string format;
    int64_t count = 0;
  };

  static constexpr Duration kWindow = std::chrono::seconds(10);

  // `per_window` lines of a kind are printed in each window, which begins with the first of them;
  // 0: all.
  explicit RepeatLimit(int per_window) : per_window_(per_window) {}

  // Whether this line, known by module and format string, is printed at `now`.
  bool Admit(std::string_view module, std::string_view format, SteadyTime now);

  // Returns the counts of the windows that are over at `now`, each once.
  std::vector<Hidden> TakeOver(SteadyTime now);
  // Also what was hidden in windows that are still open.
  std::vector<Hidden> TakeAll() { return TakeOver(SteadyTime::max()); }

 private:
  struct Line {
    SteadyTime window_end{};
    int shown = 0;
    Hidden hidden;
  };

  int per_window_;
  // By a hash of module and format: the formats of a program are few, and two lines that share one
  // of 2^64 hashes only share their limit.
  absl::flat_hash_map<uint64_t, Line> lines_;
  // No window with something hidden ends before this, so that most calls of TakeOver look no
  // further.
  SteadyTime first_end_ = SteadyTime::max();
};

}  // namespace orbweaver
