// How up to date a crawl's copies of pages are.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/report/page_table.h"
#include "lab/report/report_model.h"

namespace orbweaver::lab {

// The moments at which recorded pages change: when a visit found a content that the one before it
// had not. Shared by the crawls of a report. Immutable.
class PageChanges {
 public:
  explicit PageChanges(const PageTable& pages);

  struct Change {
    int64_t at_ms = 0;
    uint32_t url = 0;
    uint32_t content = 0;
  };
  // Ascending by time.
  const std::vector<Change>& all() const { return all_; }

 private:
  std::vector<Change> all_;
};

// Place: in MeasureCrawl; times never go back. A copy is out of date from the moment at which
// its page changes until it is fetched again, or the page is as it was. Pages that were never seen
// to change count as up to date.
class Freshness {
 public:
  // Both must outlive this.
  Freshness(const PageTable& pages, const PageChanges& changes);

  void AddCopy(uint32_t url, uint32_t content, int64_t at_ms);
  // A copy of a page that was not recorded: it is as good as new at best.
  void AddUnknownCopy(int64_t at_ms);

  // The share of copies that are up to date at that time, and their mean age in days, 0 for those
  // that are up to date. Without copies all are fresh.
  Bounded FreshShareAt(int64_t at_ms);
  Bounded AgeInDaysAt(int64_t at_ms);

 private:
  void AdvanceTo(int64_t at_ms);
  void Update(uint32_t url, int64_t at_ms);
  double StaleMilliseconds(int64_t at_ms) const;

  const std::vector<PageChanges::Change>& changes_;
  size_t next_change_ = 0;
  std::vector<uint32_t> current_;        // content by URL; 0: none yet
  std::vector<uint32_t> copy_;           // likewise
  std::vector<int64_t> stale_since_ms_;  // by URL; below 0: it is fresh, or there is no copy
  uint64_t copies_ = 0;
  uint64_t stale_ = 0;
  double stale_since_sum_ = 0;
  uint64_t unknown_ = 0;
  double unknown_since_sum_ = 0;
};

}  // namespace orbweaver::lab
