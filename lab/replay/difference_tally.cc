#include "lab/replay/difference_tally.h"

#include <iterator>
#include <tuple>

#include "lab/replay/url_pattern.h"

namespace orbweaver::lab {
namespace {

constexpr std::string_view kOtherPatterns = "(further patterns)";

}  // namespace

uint32_t DifferenceTally::Table::Number(std::string_view name, size_t most) {
  const auto found = numbers.find(std::string(name));
  if (found != numbers.end()) return found->second;
  if (rows.size() >= most) return Number(kOtherPatterns, SIZE_MAX);
  const auto number = static_cast<uint32_t>(rows.size());
  numbers.emplace(name, number);
  rows.emplace_back(name, DifferenceCounts{});
  return number;
}

uint64_t DifferenceTally::Table::MoveTop(ComparisonResult::Rows* top) {
  std::erase_if(rows, [](const auto& row) { return row.second.differences() == 0; });
  const uint64_t different = rows.size();
  const size_t shown = std::min(rows.size(), kMostRows);
  std::partial_sort(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(shown), rows.end(),
                    [](const auto& a, const auto& b) {
                      return std::tuple(b.second.differences(), a.first) <
                             std::tuple(a.second.differences(), b.first);
                    });
  top->assign(std::make_move_iterator(rows.begin()),
              std::make_move_iterator(rows.begin() + static_cast<ptrdiff_t>(shown)));
  return different;
}

uint32_t DifferenceTally::PatternNumber(std::string_view url) {
  return patterns_.Number(UrlPattern(url), kMostPatterns);
}

void DifferenceTally::CountRequests(uint32_t domain, Side side, uint64_t requests) {
  counts_.requests[static_cast<size_t>(side)] += requests;
  domains_.rows[domain].second.requests[static_cast<size_t>(side)] += requests;
}

bool DifferenceTally::IsFirst(const DifferenceExample& difference, uint64_t rank) const {
  return !first_.has_value() || std::tuple(difference.event(), rank, difference.kind) <
                                    std::tuple(first_->event(), first_rank_, first_->kind);
}

bool DifferenceTally::WantsUrl(const DifferenceExample& difference, uint64_t rank) const {
  const auto& of_kind = examples_[static_cast<size_t>(difference.kind)];
  return of_kind.size() < kExamplesOfAKind || rank < of_kind.rbegin()->first ||
         IsFirst(difference, rank);
}

void DifferenceTally::Add(const DifferenceExample& difference, uint64_t rank, uint32_t domain,
                          uint32_t pattern) {
  ++counts_.of(difference.kind);
  ++domains_.rows[domain].second.of(difference.kind);
  if (pattern != kNone) ++patterns_.rows[pattern].second.of(difference.kind);
  if (IsFirst(difference, rank)) {
    first_ = difference;
    first_rank_ = rank;
  }
  auto& of_kind = examples_[static_cast<size_t>(difference.kind)];
  if (of_kind.size() == kExamplesOfAKind && rank >= of_kind.rbegin()->first) return;
  of_kind.emplace(rank, difference);
  if (of_kind.size() > kExamplesOfAKind) of_kind.erase(std::prev(of_kind.end()));
}

void DifferenceTally::MoveTo(ComparisonResult* result) {
  result->counts = counts_;
  result->different_domains = domains_.MoveTop(&result->domains);
  result->different_patterns = patterns_.MoveTop(&result->patterns);
  result->first = std::move(first_);
  for (auto& of_kind : examples_) {
    const auto begin = static_cast<ptrdiff_t>(result->examples.size());
    for (auto& [rank, example] : of_kind) result->examples.push_back(std::move(example));
    std::sort(result->examples.begin() + begin, result->examples.end(),
              [](const auto& a, const auto& b) {
                return std::tuple(a.event(), std::string_view(a.url)) <
                       std::tuple(b.event(), std::string_view(b.url));
              });
  }
}

}  // namespace orbweaver::lab
