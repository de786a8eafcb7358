// Takes out of events what is out of the crawl's scope, and what this worker schedules by itself,
// before the strategy sees it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/model/own_request.h"
#include "common/scope/crawl_scope.h"
#include "strategy_worker/core/core_metrics.h"
#include "strategy_worker/core/source_event.h"
#include "strategy_worker/states/domain_record.h"

namespace orbweaver {

// Place: inside StrategyCore, one for Lookup (links and seeds) and one for EventHandler (requests).
// Not thread-safe.
class ScopeFilter {
 public:
  // `scope` and `metrics` must outlive the filter.
  ScopeFilter(const CrawlScope& scope, CoreMetrics& metrics) : scope_(scope), metrics_(metrics) {}

  // Nothing is ever out of scope: the rest need not be called.
  bool IsEverything() const { return scope_.IsEverything(); }

  // The events of this domain follow, in their order.
  void BeginDomain(std::string_view domain, const DomainRecord& record);

  // Takes seeds, links or the URL of an order out of `event`, counts them, and puts assets and
  // sitemaps behind the others (SourceEvent::own). Seeds that stay open the scope for the events
  // after them, though they are in no record yet.
  void Filter(SourceEvent* event);

  // As which request this worker schedules one of the event's own links.
  OwnRequest OwnRequestFor(const SourceEvent& event, size_t link);

  // Whether this worker asks for `url`, canonical and of the domain, which robots.txt names.
  bool TakesSitemap(std::string_view url);

  // Opens the scope for seeds that stay, as Filter does.
  void OpenFor(const SourceEvent& seeds);

  // Whether the strategy may request `url`, canonical and of the domain, on `event`; `as_given` is
  // how it wrote it. Counts it otherwise.
  bool AllowsRequest(std::string_view url, std::string_view as_given, const SourceEvent& event);

 private:
  // Whether each link must be looked at; else nothing is taken out, or everything.
  bool NeedsLook(bool is_asked_for) const;
  // Of a link of `event`: `own` is what it is asked for as, or kNone.
  OutOfScope Check(const SourceEvent& event, size_t link, const OwnRequest& source,
                   const OwnRequest& own);
  OutOfScope CheckLink(LinkKind kind, std::string_view url, const OwnRequest& source);
  // `source`: as which the document was asked for that has the link.
  OwnRequest OwnKindOf(const SourceEvent& event, size_t link, const OwnRequest& source) const;
  void Sort(SourceEvent* event);
  void Count(OutOfScope why, uint64_t urls);

  const CrawlScope& scope_;
  CoreMetrics& metrics_;

  std::string_view domain_;
  std::string places_;
  SeedPlaceFinder finder_;

  // Of the event at hand.
  enum Fate : uint8_t { kLeaveOut, kAsk, kOwn };
  std::vector<uint8_t> fates_;
  std::vector<orbweaver_link> own_links_;
  std::vector<Fingerprint> own_fingerprints_;
  std::vector<uint32_t> own_seeds_;
};

}  // namespace orbweaver
