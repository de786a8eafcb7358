#include "lab/replay/decision_comparison.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace orbweaver::lab {

void DecisionComparison::Add(Decision decision, std::string Pair::* side) {
  if (side == &Pair::recorded) {
    Offset& to = recorded_to_.try_emplace(decision.key.partition, decision.key.event).first->second;
    to = std::max(to, decision.key.event);
  }
  const auto [found, is_new] = open_.try_emplace(decision.key);
  Pair& pair = found->second;
  if (is_new) pair.order = order_;
  pair.*side = std::move(decision.entry);
  if (is_new) return;
  if (pair.recorded == pair.replayed) {
    ++equal_;
    equal_requests_ += decision.requests;
    open_.erase(found);
  } else {
    ++different_;
  }
}

void DecisionComparison::Finish() {
  behind_ += std::erase_if(open_, [this](const auto& entry) {
    if (!entry.second.recorded.empty()) return false;
    const auto to = recorded_to_.find(entry.first.partition);
    return to == recorded_to_.end() || entry.first.event > to->second;
  });
}

std::optional<Difference> DecisionComparison::First() const {
  const auto first = std::min_element(open_.begin(), open_.end(), [](const auto& a, const auto& b) {
    return a.second.order < b.second.order;  // the lowest key of equals: the map is sorted
  });
  if (first == open_.end()) return std::nullopt;
  return Difference{
      .key = first->first, .recorded = first->second.recorded, .replayed = first->second.replayed};
}

}  // namespace orbweaver::lab
