// The entries of a partition of the scoring log that count, by the rules of the crash protocol.
#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"

#include "common/base/ids.h"
#include "common/model/scoring_log.h"
#include "common/protocol/epoch_filter.h"
#include "common/protocol/watermark.h"

namespace orbweaver {

// Place: one a partition, in replays and tests, which read the scoring log as a db worker does. Not
// thread-safe.
class ScoringLogFilter {
 public:
  enum class Verdict {
    kMarker,
    kOfOldEpoch,  // a deposed worker's
    kRepeated,    // its event was read already
    kCounts
  };

  // Entries come in the log's order, from the first.
  Verdict Take(Offset offset, const ScoringLogEntry& entry) {
    if (std::holds_alternative<Marker>(entry.entry)) {
      epochs_.Pass(offset);
      return Verdict::kMarker;
    }
    if (!epochs_.Accepts(entry.epoch)) return Verdict::kOfOldEpoch;
    const auto& schedule = std::get<ScheduleRequests>(entry.entry);
    const Watermark source{schedule.source_topic_epoch, schedule.source_offset, schedule.part};
    Watermark& applied = applied_[std::string(schedule.domain)];
    if (source <= applied) return Verdict::kRepeated;
    applied = source;
    return Verdict::kCounts;
  }

 private:
  EpochFilter epochs_;
  absl::flat_hash_map<std::string, Watermark> applied_;  // by domain
};

}  // namespace orbweaver
