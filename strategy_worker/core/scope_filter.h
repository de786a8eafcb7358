// Takes out of events what is out of the crawl's scope, before the strategy sees it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/scope/crawl_scope.h"
#include "strategy_worker/core/core_metrics.h"
#include "strategy_worker/core/source_event.h"
#include "strategy_worker/states/domain_record.h"

namespace orbweaver {

// Place: inside StrategyCore, one for Lookup (links and seeds) and one for EventHandler (requests).
// Not thread-safe.
class ScopeFilter {
 public:
  // What is referred to must outlive it.
  ScopeFilter(const CrawlScope& scope, CoreMetrics& metrics) : scope_(scope), metrics_(metrics) {}

  // Nothing is ever out of scope: the rest need not be called.
  bool IsEverything() const { return scope_.IsEverything(); }

  // The events of this domain follow, in their order.
  void BeginDomain(std::string_view domain, const DomainRecord& record);

  // Takes seeds or links out of `event`, and counts them. Seeds that stay open the scope for the
  // events after them, though they are in no record yet.
  void Filter(SourceEvent* event);

  // What Filter does with seeds that stay.
  void OpenFor(const SourceEvent& seeds);

  // Whether the strategy may request `url`, canonical and of the domain, on `event`; `as_given` is
  // how it wrote it. Counts it otherwise.
  bool AllowsRequest(std::string_view url, std::string_view as_given, const SourceEvent& event);

 private:
  OutOfScope Check(const SourceEvent& event, const orbweaver_link& link);
  void Count(OutOfScope why, uint64_t urls);

  const CrawlScope& scope_;
  CoreMetrics& metrics_;

  std::string_view domain_;
  std::string places_;
  SeedPlaceFinder finder_;
  std::vector<uint8_t> keep_;
};

}  // namespace orbweaver
