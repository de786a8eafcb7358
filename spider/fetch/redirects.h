// Which redirects are followed, and which end a fetch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/model/spider_log.h"
#include "common/scope/crawl_scope.h"
#include "common/url/resolver.h"

namespace orbweaver {

// 301, 302, 303, 307 and 308.
bool IsRedirect(uint32_t status);

// Place: spider engine, one for each request of the feed that is answered by a redirect. Follows
// within the registered domain only: another domain has another spider, budget and delay; and only
// where the target surely is in scope: otherwise whoever knows the seeds decides. No I/O.
class Redirects {
 public:
  enum class Next : uint8_t {
    kFollow,  // url() is the next to ask: its robots.txt, its turn, its address
    kAway,  // url() is of another registered domain or perhaps out of scope: a link to it, and the
            // end
    kFailed,  // too many, a circle, or no URL to fetch: kRedirect, why() says which
  };

  // `url` is the request's, canonical, of the registered domain `domain`.
  Redirects(std::string_view url, std::string_view domain, uint32_t max_redirects,
            CrawlScope scope = {});

  // The answer of url() was `status`, a redirect, with this Location, which may be any bytes.
  Next Take(uint32_t status, std::string_view location, UrlResolver& resolver);

  // Canonical: what was asked for at first, or where the last redirect led.
  std::string_view url() const { return urls_.back(); }
  std::string_view why() const { return why_; }
  // Those followed, and the one that led away; for PageFetched::redirects. Valid until Take.
  std::vector<Redirect> followed() const;

 private:
  const std::string domain_;
  const uint32_t max_redirects_;
  const CrawlScope scope_;
  std::vector<std::string> urls_;  // the request's own first
  std::vector<uint32_t> statuses_;
  std::string_view why_;
};

}  // namespace orbweaver
