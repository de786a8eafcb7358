#include "cli/record/progress_line.h"

#include <chrono>
#include <cstdio>
#include <string>
#include <unistd.h>

#include "cli/amounts.h"
#include "cli/message.h"
#include "fmt/format.h"

namespace orbweaver {
namespace {

constexpr Duration kDrawEvery = std::chrono::milliseconds(500);
constexpr Duration kLineEvery = std::chrono::seconds(10);

}  // namespace

ProgressLine::ProgressLine()
    : on_terminal_(isatty(STDERR_FILENO) == 1),
      start_(SystemClock().Now()),
      next_(start_ + Interval()) {}

ProgressLine::~ProgressLine() {
  if (drawn_) PrintError("\n");
}

Duration ProgressLine::Interval() const { return on_terminal_ ? kDrawEvery : kLineEvery; }

void ProgressLine::Show(std::string_view what, uint64_t done, uint64_t all) {
  const SteadyTime now = SystemClock().Now();
  if (now < next_) return;
  next_ = now + Interval();
  std::string line = std::string(what);
  if (all > 0 && done > 0 && done <= all) {
    const double share = static_cast<double>(done) / static_cast<double>(all);
    const auto left = std::chrono::duration_cast<Duration>((now - start_) * ((1 - share) / share));
    line = fmt::format("{:.0f}%, {} left: {}", share * 100, Time(left), what);
  }
  drawn_ = on_terminal_;
  if (on_terminal_) {
    std::fputs("\r\x1b[K", stderr);
    PrintError("{}", line);
  } else {
    PrintError("{}\n", line);
  }
}

}  // namespace orbweaver
