// The result of a replay, for people and as JSON.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"

#include "lab/recording/recording.h"
#include "lab/replay/verification.h"

namespace orbweaver {

// The first event on which decisions part. Texts of one line.
struct DifferenceReport {
  std::string event;
  std::string domain;  // a JSON object of all that was known of it
  std::string url;     // the first URL of which the decisions differ; empty: none
  std::string state;   // the same of that URL
  std::string recorded;
  std::string replayed;
};

// Replays what stands before it on `worker`, which is new.
absl::StatusOr<DifferenceReport> Describe(const lab::Recording& recording,
                                          const lab::Difference& difference,
                                          lab::ReplayWorker& worker);

struct ReplayReport {
  lab::VerificationResult result;
  std::optional<DifferenceReport> first;
  std::string strategy;
};
std::string ReportText(const ReplayReport& report);
std::string ReportJson(const ReplayReport& report);

}  // namespace orbweaver
