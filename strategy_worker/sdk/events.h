// The arguments of a strategy's handlers, a class for each kind of event.
//
// An event object is a view of the host's own arrays (strategy_abi.h): reading costs nothing, and a
// decision is written where the host reads it. All of it lives until the handler returns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "orbweaver/link.h"

namespace orbweaver::sdk {

class Seeds : public LinkEvent {
 public:
  using LinkEvent::LinkEvent;
};

// Links to this domain from one page, of this domain or another.
class Links : public LinkEvent {
 public:
  using LinkEvent::LinkEvent;

  std::string_view source_url() const { return internal::View(raw()->source_view->url_view); }
  // With which the page was scheduled that they stand on.
  float source_score() const { return raw()->source_view->score; }
  // All links of that page, to all domains.
  uint32_t source_link_count() const { return raw()->source_view->link_count; }
  bool same_domain() const { return raw()->source_view->same_domain != 0; }
};

// Links and seeds before any state is loaded: what is dropped here costs no read.
class LinkFilter : public EventView {
 public:
  LinkFilter(const orbweaver_event* raw, const orbweaver_link* links, size_t count, uint8_t* keep)
      : EventView(raw), links_(links), count_(count), keep_(keep) {}

  size_t size() const { return count_; }
  LinkView operator[](size_t i) const { return LinkView(links_ + i); }
  void Drop(size_t i) { keep_[i] = 0; }
  void DropAll() { std::fill_n(keep_, count_, uint8_t{0}); }

  bool is_seeds() const { return raw()->kind == ORBWEAVER_SEEDS; }
  // Of the links themselves.
  uint32_t link_depth() const { return is_seeds() ? 0 : depth() + 1; }
  // Whether the page that they stand on is of this domain; not of seeds.
  bool same_domain() const { return raw()->source_view && raw()->source_view->same_domain; }

 private:
  const orbweaver_link* const links_;
  const size_t count_;
  uint8_t* const keep_;
};

// A page was fetched. Its status becomes CRAWLED unless the handler says otherwise.
class Page : public LinkEvent {
 public:
  using LinkEvent::LinkEvent;

  // The page's own URL: its state, with this fetch counted, and what is to become of it.
  Link link() { return (*this)[0]; }

  // Empty where the content came from the URL itself.
  std::string_view final_url() const { return internal::View(page().final_url_view); }
  std::string_view content_type() const { return internal::View(page().content_type_view); }
  std::string_view title() const { return internal::View(page().title_view); }
  std::string_view language() const { return internal::View(page().language_view); }
  std::string_view robots_directives() const {
    return internal::View(page().robots_directives_view);
  }
  std::string_view canonical_url() const { return internal::View(page().canonical_url_view); }
  // Empty unless spiders are configured to log bodies, and this one fits into a message.
  std::string_view body() const { return internal::View(page().body_view); }
  uint64_t body_bytes() const { return page().body_bytes; }
  uint64_t text_bytes() const { return page().text_bytes; }
  uint64_t content_hash() const { return page().content_hash; }
  uint32_t http_status() const { return page().http_status; }
  uint32_t links_inside() const { return page().links_inside; }
  uint32_t links_outside() const { return page().links_outside; }
  bool not_modified() const { return page().not_modified != 0; }  // 304
  // Its content differs from that of the last fetch; true for a first one.
  bool changed() const { return page().changed != 0; }

 private:
  const orbweaver_page& page() const { return *raw()->page_view; }
};

// A URL could not be fetched. Its status becomes ERROR when the cause is transient, else GONE.
class Failure : public LinkEvent {
 public:
  using LinkEvent::LinkEvent;

  Link link() { return (*this)[0]; }

  Cause cause() const { return static_cast<Cause>(raw()->failure_view->cause); }
  uint32_t http_status() const { return raw()->failure_view->http_status; }
  // The wait that the server asked for in Retry-After.
  std::optional<int64_t> retry_after_ms() const {
    if (raw()->failure_view->retry_after_ms < 0) return std::nullopt;
    return raw()->failure_view->retry_after_ms;
  }
  // A later try may succeed.
  bool transient() const { return raw()->failure_view->transient != 0; }
};

// A spider asked for a host's robots.txt, which it does before the host's first page.
class Host : public Event {
 public:
  using Event::Event;

  std::string_view name() const { return internal::View(raw()->host_view->host_view); }
  size_t sitemap_count() const { return raw()->host_view->sitemap_count; }
  std::string_view sitemap(size_t i) const {
    return internal::View(raw()->host_view->sitemaps_view[i]);
  }
  std::optional<int64_t> crawl_delay_ms() const {
    if (raw()->host_view->crawl_delay_ms < 0) return std::nullopt;
    return raw()->host_view->crawl_delay_ms;
  }
  Robots robots() const { return static_cast<Robots>(raw()->host_view->robots); }
  uint32_t robots_status() const { return raw()->host_view->robots_status; }
  Dns dns() const { return static_cast<Dns>(raw()->host_view->dns); }
};

}  // namespace orbweaver::sdk
