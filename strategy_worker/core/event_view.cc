#include "strategy_worker/core/event_view.h"

#include <algorithm>

#include "common/model/exploration.h"

namespace orbweaver {

bool IsOfOurOwn(FailureCause cause) {
  return cause == FailureCause::kPrivateAddress || cause == FailureCause::kPort ||
         cause == FailureCause::kProxy;
}

bool IsTransient(FailureCause cause, uint32_t http_status) {
  switch (cause) {
    case FailureCause::kDns:
    case FailureCause::kTlsCertificate:
    case FailureCause::kEncoding:
    case FailureCause::kTooLarge:
    case FailureCause::kContentType:
    case FailureCause::kRedirect:
    case FailureCause::kRobots:
    case FailureCause::kPrivateAddress:
    case FailureCause::kPort:
    case FailureCause::kBadUrl:
    case FailureCause::kHttpOther:
      return false;
    case FailureCause::kHttp4xx:
      // Request Timeout, Too Early, Too Many Requests (RFC 9110, RFC 8470, RFC 6585).
      return http_status == 408 || http_status == 425 || http_status == 429;
    case FailureCause::kHttp5xx:
      // Not Implemented, HTTP Version Not Supported (RFC 9110, section 15.6).
      return http_status != 501 && http_status != 505;
    default:
      // Also what a newer spider has a name for and we have not: strategies bound their retries.
      return true;
  }
}

bool SaysRobots(const HostFacts& facts) {
  return facts.robots != RobotsOutcome::kUnspecified || facts.crawl_delay.has_value();
}

const orbweaver_event& EventView::Show(const SourceEvent& event, const DomainRecord& record,
                                       const LinkState* before) {
  event_ = {};
  event_.struct_size = sizeof event_;
  event_.kind = event.kind;
  event_.now_ms = event.time.time_since_epoch().count();
  // Those that the strategy has no part in.
  const uint64_t own = record.assets + record.sitemaps;
  domain_ = {.name_view = ToText(event.entry->domain),
             .fetched = record.fetched + (event.kind == ORBWEAVER_PAGE ? 1 : 0),
             .scheduled = record.scheduled,
             .failed = record.failed + (event.kind == ORBWEAVER_FAILURE ? 1 : 0),
             .known_urls = record.known_urls - std::min(record.known_urls, own),
             .crawl_delay_ms = record.crawl_delay.has_value() ? record.crawl_delay->count() : -1,
             .data_view = ToText(record.strategy_data)};
  event_.domain_view = &domain_;
  if (const auto* page = std::get_if<PageFetched>(&event.entry->event)) {
    ShowRequest(page->request);
    ShowPage(*page, *before);
  } else if (const auto* links = std::get_if<LinksFound>(&event.entry->event)) {
    ShowSource(*links, event.is_from_inside);
  } else if (const auto* failed = std::get_if<FetchFailed>(&event.entry->event)) {
    ShowRequest(failed->request);
    ShowFailure(*failed);
  } else if (const auto* facts = std::get_if<HostFacts>(&event.entry->event)) {
    ShowHost(*facts);
  }
  return event_;
}

void EventView::ShowRequest(const Request& request) {
  event_.depth = request.depth;
  event_.attempt = request.attempt;
  event_.score = OwnScore(request.score, request.meta);
  ShowMeta(request.meta);
}

void EventView::ShowPage(const PageFetched& page, const LinkState& before) {
  const bool changed =
      !page.not_modified && (before.fetches == 0 || before.content_hash != page.content_hash.low);
  page_ = {.final_url_view = ToText(page.final_url),
           .content_type_view = ToText(page.content_type),
           .title_view = ToText(page.title),
           .language_view = ToText(page.language),
           .robots_directives_view = ToText(page.robots_directives),
           .canonical_url_view = ToText(page.canonical_url),
           .body_view = ToText(page.body),
           .content_hash = page.not_modified ? before.content_hash : page.content_hash.low,
           .body_bytes = page.body_bytes,
           .text_bytes = page.text_bytes,
           .http_status = page.status,
           .links_inside = page.links_inside,
           .links_outside = page.links_outside,
           .not_modified = page.not_modified,
           .changed = changed};
  event_.page_view = &page_;
}

void EventView::ShowSource(const LinksFound& found, bool is_from_inside) {
  source_ = {.url_view = ToText(found.source.url),
             .score = OwnScore(found.source.score, found.source.meta),
             .link_count = found.source.link_count,
             .same_domain = is_from_inside};
  event_.source_view = &source_;
  event_.depth = found.source.depth;
  ShowMeta(found.source.meta);
}

void EventView::ShowFailure(const FetchFailed& failed) {
  failure_ = {.cause = static_cast<uint32_t>(failed.cause),
              .http_status = failed.status,
              .retry_after_ms = failed.retry_after.has_value() ? failed.retry_after->count() : -1,
              .transient = IsTransient(failed.cause, failed.status)};
  event_.failure_view = &failure_;
}

void EventView::ShowHost(const HostFacts& facts) {
  sitemaps_.clear();
  for (const std::string_view sitemap : facts.sitemaps) sitemaps_.push_back(ToText(sitemap));
  host_ = {.host_view = ToText(facts.host),
           .sitemaps_view = sitemaps_.data(),
           .sitemap_count = sitemaps_.size(),
           .crawl_delay_ms = facts.crawl_delay.has_value() ? facts.crawl_delay->count() : -1,
           .robots = static_cast<uint32_t>(facts.robots),
           .robots_status = facts.robots_status,
           .dns = static_cast<uint32_t>(facts.dns)};
  if (SaysRobots(facts)) domain_.crawl_delay_ms = host_.crawl_delay_ms;
  event_.host_view = &host_;
}

void EventView::ShowMeta(std::span<const Meta> meta) {
  meta_.clear();
  for (const Meta& entry : meta) {
    // A strategy decides as if nothing had been drawn.
    if (!IsOfExploration(entry)) meta_.push_back({ToText(entry.key), ToText(entry.value)});
  }
  event_.meta_view = meta_.data();
  event_.meta_count = meta_.size();
}

}  // namespace orbweaver
