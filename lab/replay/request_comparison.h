// Two strategies' decisions on the same events, matched request by request.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/ids.h"
#include "common/model/arena.h"
#include "lab/replay/comparison_result.h"
#include "lab/replay/difference_tally.h"
#include "lab/replay/event_index.h"
#include "lab/replay/scoring_stream.h"
#include "lab/replay/spill_file.h"

namespace orbweaver::lab {

// A request has its counterpart on the same event; without one there, the next request for its URL
// that has none either, on whatever event. Counts are exact.
//
// Place: one for two sides. Memory: decisions without a counterpart for two rounds; then, until the
// end, 56 bytes for each of their requests that has none on its event. Not thread-safe.
class RequestComparison {
 public:
  // `events` must outlive it, and know an event before decisions on it are added.
  explicit RequestComparison(const EventIndex& events) : events_(events) {}

  // Decisions of a side come in any order. Those on events that were not replayed do not count.
  // Fatal: no room on the disk.
  absl::Status Add(Side side, const Decision& decision);
  // Both sides have added what they decided on the events so far, or will before the next call.
  absl::Status EndRound();

  // After the last decision of both. `first_may_end_early`: decisions of the second side on events
  // behind the last one that the first side decided on, in a partition, are no difference.
  absl::StatusOr<ComparisonResult> Finish(bool first_may_end_early);

 private:
  // A request, or what is decided on its domain as such.
  struct Item {
    uint64_t key = 0;        // of URL and action
    SpillFile::Extent text;  // its URL in spill_; of a decision at hand its number in texts_
    WallTime not_before;
    uint32_t event = 0;
    uint32_t rest = 0;  // a hash of what else it says
    uint32_t domain = 0;
    uint32_t pattern = DifferenceTally::kNone;
    float score = 0;
    Side side = Side::kFirst;
    uint8_t action = 0;  // ScheduleAction, or kUpdate
  };
  struct Open {
    Side side = Side::kFirst;
    std::string entry;
    uint64_t round = 0;
  };
  using ReadText = absl::FunctionRef<absl::StatusOr<std::string>(const Item&)>;

  absl::Status TakeApart(uint32_t event, Side side, std::string_view entry);
  absl::Status PairOfOneEvent();
  absl::Status PairUp(std::vector<Item>* items, bool across_events, ReadText text,
                      absl::FunctionRef<absl::Status(const Item&)> left);
  absl::Status Compare(const Item& first, const Item& second, ReadText text);
  absl::Status Report(DifferenceKind kind, const Item* first, const Item* second, ReadText text);
  WallTime DueTime(const Item& item) const;

  const EventIndex& events_;
  uint64_t round_ = 0;
  std::map<DecisionKey, Open> open_;
  std::map<PartitionId, Offset> first_to_;  // the last event with a decision of the first side
  // Of the decisions that are being taken apart.
  Arena arena_;
  std::vector<std::string_view> texts_;
  std::vector<Item> scratch_;

  std::vector<Item> items_;
  std::unique_ptr<SpillFile> spill_;  // null: nothing is in it
  DifferenceTally tally_;
  ComparisonResult result_;
};

}  // namespace orbweaver::lab
