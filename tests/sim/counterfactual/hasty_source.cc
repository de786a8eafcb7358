#include "tests/sim/counterfactual/hasty_source.h"

#include <utility>
#include <vector>

#include "lab/crawl/recorded_lanes.h"

namespace orbweaver::lab {
namespace {

// A day ahead while results are looked for.
class HastyClock : public Clock {
 public:
  explicit HastyClock(const Clock& clock) : clock_(clock) {}
  SteadyTime Now() const override {
    return clock_.Now() + (is_ahead ? std::chrono::hours(24) : std::chrono::hours(0));
  }
  WallTime Wall() const override { return clock_.Wall(); }

  bool is_ahead = false;

 private:
  const Clock& clock_;
};

class HastyLanes : public VirtualLanes {
 public:
  HastyLanes(RecordedAnswers& answers, const Clock& clock)
      : real_clock_(clock), clock_(clock), lanes_(answers, clock_) {}

  void Start(LaneTask task) override { lanes_.Start(std::move(task)); }
  absl::Status Run(SteadyTime until, std::vector<LaneResult>* done) override {
    clock_.is_ahead = true;
    absl::Status status = lanes_.Run(until, done);
    clock_.is_ahead = false;
    for (LaneResult& result : *done) {
      if (auto* const over = std::get_if<FetchOver>(&result.what)) over->took = {};
    }
    return status;
  }
  absl::Status Stop() override { return lanes_.Stop(); }
  SteadyTime NextDone() const override {
    return lanes_.NextDone() == SteadyTime::max() ? SteadyTime::max() : real_clock_.Now();
  }

 private:
  const Clock& real_clock_;
  HastyClock clock_;
  RecordedLanes lanes_;
};

}  // namespace

std::unique_ptr<VirtualLanes> HastySource::NewLanes(ManualClock& clock, CrawlTrace* trace) {
  if (answers_ == nullptr) {
    answers_ = std::make_unique<RecordedAnswers>(web_, clock, seed_, trace);
  }
  return std::make_unique<HastyLanes>(*answers_, clock);
}

}  // namespace orbweaver::lab
