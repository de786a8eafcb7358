// Lanes that do nothing: the test makes the results.
#pragma once

#include <utility>
#include <vector>

#include "spider/crawl/lanes.h"

namespace orbweaver {

class KeptTasks : public Lanes {
 public:
  void Start(LaneTask task) override { tasks_.push_back(std::move(task)); }
  absl::Status Run(SteadyTime, std::vector<LaneResult>*) override { return absl::OkStatus(); }
  absl::Status Stop() override { return absl::OkStatus(); }

  // Those begun since the last call.
  std::vector<LaneTask> Take() { return std::exchange(tasks_, {}); }

 private:
  std::vector<LaneTask> tasks_;
};

}  // namespace orbweaver
