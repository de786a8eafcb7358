#include "lab/crawl/recorded_lanes.h"

#include <algorithm>
#include <utility>

#include "common/base/status.h"
#include "spider/publish/outcome_encoder.h"

namespace orbweaver::lab {

void RecordedLanes::Start(LaneTask task) {
  const Journey& journey = *task.journey;
  if (!task.fetch) {
    // Names are known without asking. An address that no answer came from is not minded.
    const std::string_view host = HostAndPort(OriginOf(journey.url()));
    const auto address = IpAddress::Parse(answers_.web().hosts().AddressOf(host));
    return Add(clock_.Now(), {.id = task.id, .what = address.value_or(IpAddress())});
  }
  absl::StatusOr<CrawlAnswer> answer =
      task.fetch->is_robots ? answers_.FetchRobots(journey) : answers_.Fetch(journey);
  if (!answer.ok()) {
    failure_.Update(answer.status());
    return;
  }
  Add(clock_.Now() + answer->took,
      {.id = task.id,
       .reached = Reached::kAnother,
       .what = FetchOver{
           .ending = answer->ending, .took = answer->took, .end = std::move(answer->end)}});
}

absl::Status RecordedLanes::Run(SteadyTime /*until*/, std::vector<LaneResult>* done) {
  RETURN_IF_ERROR(failure_);
  while (!running_.empty() && running_.front().until <= clock_.Now()) {
    std::ranges::pop_heap(running_, Later());
    done->push_back(std::move(running_.back().result));
    running_.pop_back();
  }
  return absl::OkStatus();
}

SteadyTime RecordedLanes::NextDone() const {
  return running_.empty() ? SteadyTime::max() : running_.front().until;
}

void RecordedLanes::Add(SteadyTime until, LaneResult result) {
  running_.push_back({.until = until, .number = begun_++, .result = std::move(result)});
  std::ranges::push_heap(running_, Later());
}

}  // namespace orbweaver::lab
