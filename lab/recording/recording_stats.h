// A recording in numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "lab/recording/recording.h"

namespace orbweaver::lab {

struct TopicStats {
  uint64_t files = 0;
  uint64_t records = 0;
  uint64_t raw_bytes = 0;     // of keys, values and headers
  uint64_t bytes = 0;         // of the files
  uint64_t record_bytes = 0;  // of these, those of the columns that hold the records as they are
  uint64_t domains = 0;       // registered domains that records are about
  uint64_t links = 0;         // of the spider log
  std::map<std::string, uint64_t> events;  // records by kind
  WallTime first_time;
  WallTime last_time;

  // Nothing without pages.
  double LinksAPage() const;
};

// By topic. Memory: eight bytes and some for each domain. Poison or fatal as RecordedFileReader;
// with `skip_damaged` such files are left out and counted.
struct RecordingStats {
  std::map<std::string, TopicStats> topics;
  LeftOut left_out;
};
absl::StatusOr<RecordingStats> StatsOf(const Recording& recording, bool skip_damaged = false);

}  // namespace orbweaver::lab
