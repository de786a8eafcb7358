// The lanes of a spider whose web is a recording.
#pragma once

#include <optional>
#include <queue>
#include <vector>

#include "common/base/clock.h"
#include "lab/crawl/crawl_source.h"
#include "lab/crawl/recorded_answers.h"
#include "spider/crawl/lanes.h"

namespace orbweaver::lab {

// Place: below the core of a counterfactual crawl's spider, instead of Lane. Run never
// waits. Not thread-safe.
class RecordedLanes : public VirtualLanes {
 public:
  // The arguments must outlive this.
  RecordedLanes(RecordedAnswers& answers, const Clock& clock) : answers_(answers), clock_(clock) {}

  void Start(LaneTask task) override;
  // Fatal when the recorded pages cannot be read.
  absl::Status Run(SteadyTime until, std::vector<LaneResult>* done) override;
  absl::Status Stop() override { return absl::OkStatus(); }

  SteadyTime NextDone() const override;

 private:
  struct Running {
    SteadyTime until;
    uint64_t number = 0;  // in the order of their beginnings
    LaneResult result;
  };
  struct Later {
    bool operator()(const Running& a, const Running& b) const {
      return std::pair(a.until, a.number) > std::pair(b.until, b.number);
    }
  };

  void Add(SteadyTime until, LaneResult result);

  RecordedAnswers& answers_;
  const Clock& clock_;
  std::vector<Running> running_;  // a heap
  uint64_t begun_ = 0;
  absl::Status failure_;
};

}  // namespace orbweaver::lab
