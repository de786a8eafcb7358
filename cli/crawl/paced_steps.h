// Fewer and larger steps of a worker while the spider has enough to do without it.
//
// Each step of a worker costs fsyncs and wakes others, whether it handles one message or a
// thousand. In a polite crawl messages come one at a time and nobody waits for what follows from
// them.
#pragma once

#include <functional>
#include <memory>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/runtime/step_loop.h"
#include "common/runtime/stop_request.h"

namespace orbweaver {

// Place: around the strategy worker and the db worker of a crawl on one machine. While `has_time`
// a step begins no sooner than `interval` after the one before; a stop ends the wait. One thread.
class PacedSteps : public Stepped {
 public:
  PacedSteps(std::unique_ptr<Stepped> worker, Duration interval, std::function<bool()> has_time,
             const Clock& clock, const StopRequest& stop)
      : worker_(std::move(worker)),
        interval_(interval),
        has_time_(std::move(has_time)),
        clock_(clock),
        stop_(stop) {}

  absl::Status Step() override;
  absl::Status Close() override { return worker_->Close(); }

 private:
  const std::unique_ptr<Stepped> worker_;
  const Duration interval_;
  const std::function<bool()> has_time_;
  const Clock& clock_;
  const StopRequest& stop_;
  SteadyTime next_{};
};

}  // namespace orbweaver
