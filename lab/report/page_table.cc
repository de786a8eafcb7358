#include "lab/report/page_table.h"

#include <algorithm>

#include "common/base/check.h"

namespace orbweaver::lab {

void PageTable::AddUrl(uint32_t domain, uint32_t depth, double probability,
                       std::span<const VisitFacts> visits) {
  CHECK(!visits.empty());
  domain_of_.push_back(domain);
  depth_of_.push_back(depth);
  others_of_.push_back(static_cast<float>(1 / probability - 1));
  if (probability < 1) ++explored_;
  uint32_t before = 0;
  for (const VisitFacts& visit : visits) {
    visits_.push_back(visit);
    contents_ = std::max(contents_, visit.content + 1);
    has_changes_ |= before != 0 && visit.is_page() && visit.content != before;
    if (visit.is_page()) before = visit.content;
  }
  visits_end_.push_back(visits_.size());
}

uint32_t PageTable::Domain(std::string_view name) {
  const auto [entry, is_new] =
      domain_numbers_.try_emplace(std::string(name), static_cast<uint32_t>(domains_.size()));
  if (is_new) domains_.emplace_back(name);
  return entry->second;
}

std::span<const VisitFacts> PageTable::VisitsOf(uint32_t url) const {
  const uint64_t begin = url == 0 ? 0 : visits_end_[url - 1];
  return std::span(visits_).subspan(begin, visits_end_[url] - begin);
}

void PageTable::Finish(bool has_values) {
  links_.ShrinkToFit();
  rank_ = PageRank(links_);
  in_links_ = links_.InLinks();
  // The URL on which each content was recorded first.
  std::vector<uint32_t> first(contents_, kNoUrl);
  std::vector<int64_t> at_ms(contents_);
  for (uint32_t url = 0; url < known(); ++url) {
    for (const VisitFacts& visit : VisitsOf(url)) {
      uint32_t& holder = first[visit.content];
      if (holder != kNoUrl && at_ms[visit.content] <= visit.at_ms) continue;
      holder = url;
      at_ms[visit.content] = visit.at_ms;
    }
  }
  for (uint32_t url = 0; url < known(); ++url) {
    const auto visits = VisitsOf(url);
    const auto page = std::ranges::find_if(visits, &VisitFacts::is_page);
    Outcome outcome{};
    if (page != visits.end()) {
      const double unique = first[page->content] == url ? 1 : 0;
      outcome = {1.0, unique, has_values ? page->value : unique};
    }
    worth_of_.push_back(static_cast<float>(outcome[static_cast<size_t>(OutcomePart::kValue)]));
    const double weight = explored_ >= kEnoughExplored ? others_of_[url] : 1 + others_of_[url];
    if (weight > 0) estimate_.Add(domain_of_[url], depth_of_[url], weight, outcome);
  }
}

}  // namespace orbweaver::lab
