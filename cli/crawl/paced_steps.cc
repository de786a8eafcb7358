#include "cli/crawl/paced_steps.h"

namespace orbweaver {

absl::Status PacedSteps::Step() {
  const Duration early = next_ - clock_.Now();
  if (early > Duration::zero() && has_time_() && stop_.WaitFor(early)) return absl::OkStatus();
  next_ = clock_.Now() + interval_;
  return worker_->Step();
}

}  // namespace orbweaver
