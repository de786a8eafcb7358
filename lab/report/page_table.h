// The facts about recorded pages that a report needs, as columns of numbers.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "lab/report/link_graph.h"
#include "lab/report/outcome_estimate.h"

namespace orbweaver::lab {

// A URL that has no number.
inline constexpr uint32_t kNoUrl = std::numeric_limits<uint32_t>::max();

// A recorded fetch.
struct VisitFacts {
  int64_t at_ms = 0;     // from the beginning of the recording
  uint32_t content = 0;  // equal numbers for equal contents; 0: there was no page
  float value = 0;

  bool is_page() const { return content != 0; }
};

// URLs have the numbers of RecordedWeb; those that were only linked to have the numbers above.
//
// Place: filled by page_table_reader.h or by a test, then read by all that measures crawls.
// Thread-safe once filled, but for Domain().
class PageTable {
 public:
  // So many explored URLs say more about those that were not recorded than all that the recorded
  // strategy chose.
  static constexpr uint64_t kEnoughExplored = 30;

  // The next URL's visits, in the order of time, at least one. `probability`: that with which it
  // was promoted by exploration; 1: the strategy chose it.
  void AddUrl(uint32_t domain, uint32_t depth, double probability,
              std::span<const VisitFacts> visits);
  // The number of a registered domain, made at its first mention.
  uint32_t Domain(std::string_view name);
  // All URLs and links are there: ranks them and gathers the estimates. Without `has_values` the
  // value of a page is 1 where its content was recorded at no URL before, else 0.
  void Finish(bool has_values);

  // URLs with a recorded outcome.
  uint32_t known() const { return static_cast<uint32_t>(domain_of_.size()); }
  uint32_t DomainOf(uint32_t url) const { return domain_of_[url]; }
  std::span<const VisitFacts> VisitsOf(uint32_t url) const;
  // The value of its first recorded page; 0: there was none.
  double WorthOf(uint32_t url) const { return worth_of_[url]; }
  uint32_t contents() const { return contents_; }  // their numbers are below this
  const std::vector<std::string>& domains() const { return domains_; }

  // Filled by the reader, before Finish.
  LinkGraph& links() { return links_; }
  const LinkGraph& links() const { return links_; }
  // The largest value that a page can have.
  void set_largest_value(double value) { largest_value_ = value; }
  double largest_value() const { return largest_value_; }
  // Values are scores by URL, so those of unknown pages are given too.
  void set_has_scores() { has_scores_ = true; }
  bool has_scores() const { return has_scores_; }

  // Its share of all PageRank, and of all links between recorded pages and others; 0: no page
  // links to it. `url` may be kNoUrl.
  double RankOf(uint32_t url) const { return url < rank_.size() ? rank_[url] : 0; }
  double InLinkShareOf(uint32_t url) const {
    return url < in_links_.size() && links_.links() > 0
               ? static_cast<double>(in_links_[url]) / static_cast<double>(links_.links())
               : 0;
  }

  const OutcomeEstimate& estimate() const { return estimate_; }
  // Of those that were recorded because the crawl explored.
  uint64_t explored() const { return explored_; }
  // Whether the content of some URL changed while it was recorded.
  bool HasChanges() const { return has_changes_; }

 private:
  std::vector<uint32_t> domain_of_;
  std::vector<uint32_t> depth_of_;
  std::vector<float> others_of_;  // for how many URLs that were not recorded it stands
  std::vector<float> worth_of_;
  std::vector<uint64_t> visits_end_;
  std::vector<VisitFacts> visits_;
  std::vector<std::string> domains_;
  absl::flat_hash_map<std::string, uint32_t> domain_numbers_;
  uint32_t contents_ = 1;
  double largest_value_ = 1;
  bool has_scores_ = false;
  LinkGraph links_;
  std::vector<float> rank_;
  std::vector<uint32_t> in_links_;
  OutcomeEstimate estimate_;
  uint64_t explored_ = 0;
  bool has_changes_ = false;
};

}  // namespace orbweaver::lab
