// Two lists of decisions, matched by the events that they came of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/base/ids.h"
#include "lab/replay/scoring_stream.h"

namespace orbweaver::lab {

// One event on which they part. Empty: no decision.
struct Difference {
  DecisionKey key;
  std::string recorded;
  std::string replayed;
};

// Decisions come in any order. Memory: those that have no counterpart yet. Not thread-safe.
class DecisionComparison {
 public:
  void AddRecorded(Decision decision) { Add(std::move(decision), &Pair::recorded); }
  void AddReplayed(Decision decision) { Add(std::move(decision), &Pair::replayed); }

  uint64_t equal() const { return equal_; }
  uint64_t equal_requests() const { return equal_requests_; }
  // Without a counterpart, or with one that is different.
  size_t open() const { return open_.size(); }
  uint64_t different() const { return different_; }

  // After the last decision of both. Replayed ones on events behind the last one that was decided
  // on in the recording are no difference: it ends there.
  void Finish();
  uint64_t behind_the_end() const { return behind_; }
  // The one that was met first, by `order`; of those the one of the lowest key.
  std::optional<Difference> First() const;

  // Of what is added from now on: differences of a lower order are told first.
  void set_order(uint64_t order) { order_ = order; }

 private:
  struct Pair {
    std::string recorded;
    std::string replayed;
    uint64_t order = 0;
  };
  void Add(Decision decision, std::string Pair::* side);

  uint64_t order_ = 0;
  uint64_t equal_ = 0;
  uint64_t equal_requests_ = 0;
  uint64_t different_ = 0;
  uint64_t behind_ = 0;
  std::map<DecisionKey, Pair> open_;
  std::map<PartitionId, Offset> recorded_to_;  // the last event with a recorded decision
};

}  // namespace orbweaver::lab
