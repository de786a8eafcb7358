// The progress of a long command.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/clock.h"

namespace orbweaver {

// A line on standard error that is drawn over on a terminal, and printed now and then elsewhere.
// Not thread-safe.
class ProgressLine {
 public:
  ProgressLine();
  // Leaves what is drawn, and goes on below it.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // `done` of `all`, in whatever unit; 0: not known. Cheap when it is not time for a line.
  void Show(std::string_view what, uint64_t done, uint64_t all);

 private:
  Duration Interval() const;

  const bool on_terminal_;
  const SteadyTime start_;
  SteadyTime next_;
  bool drawn_ = false;
};

}  // namespace orbweaver
