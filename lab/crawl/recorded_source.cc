#include "lab/crawl/recorded_source.h"

#include "lab/crawl/recorded_lanes.h"

namespace orbweaver::lab {

std::unique_ptr<VirtualLanes> RecordedSource::NewLanes(ManualClock& clock, CrawlTrace* trace) {
  if (answers_ == nullptr) {
    answers_ = std::make_unique<RecordedAnswers>(web_, clock, seed_, trace);
  }
  return std::make_unique<RecordedLanes>(*answers_, clock);
}

}  // namespace orbweaver::lab
