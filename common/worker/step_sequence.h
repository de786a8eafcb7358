// Work in named steps that may stop between any two of them and goes on where it stood.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"

#include "common/base/check.h"
#include "common/base/status.h"

namespace orbweaver {

// Place: in a part of a worker's core that does one piece of work at a time: a batch, a checkpoint.
// Not thread-safe.
template <typename Owner>
class StepSequence {
 public:
  struct Step {
    std::string_view name;
    // False: there is more to do, and the time is over. After an error it is called again.
    absl::StatusOr<bool> (Owner::*run)();
  };

  // `steps` must outlive it: a static table.
  explicit StepSequence(std::span<const Step> steps) : steps_(steps), next_(steps.size()) {}

  // From the step `first` on.
  void Begin(size_t first = 0) {
    CHECK(!busy());
    next_ = first;
  }

  bool busy() const { return next_ < steps_.size(); }

  // Of the step that is under way; empty when there is none.
  std::string_view name() const { return busy() ? steps_[next_].name : std::string_view(); }

  // Runs steps until all are done, one has no more time, or `is_over()` says so between two.
  template <typename IsOver>
  absl::Status Advance(Owner& owner, const IsOver& is_over) {
    while (busy()) {
      ASSIGN_OR_RETURN(const bool done, (owner.*steps_[next_].run)());
      if (!done) return absl::OkStatus();
      ++next_;
      if (busy() && is_over()) return absl::OkStatus();
    }
    return absl::OkStatus();
  }

 private:
  const std::span<const Step> steps_;
  size_t next_;
};

}  // namespace orbweaver
