// A request on its way through the spider.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"

#include "common/model/arena.h"
#include "common/model/spider_feed.h"
#include "common/model/spider_log.h"
#include "common/scope/crawl_scope.h"
#include "common/url/resolver.h"

namespace orbweaver {

// A request as it stood in the feed, its fields, and where redirects have led it: decoded once, and
// held until its outcome is encoded.
//
// Place: made by FeedReader, shared by the core and the lane that fetches it. Not thread-safe; the
// core changes it only while no lane has it.
class Journey {
 public:
  Journey() = default;
  // Of a URL that is not from the feed, such as a robots.txt.
  Journey(std::string_view url, std::string_view domain, std::chrono::milliseconds delay = {});
  Journey(const Journey&) = delete;
  Journey& operator=(const Journey&) = delete;

  // Keeps a copy of `bytes`, an entry of the feed, and decodes it; to be called once. Poison as
  // Decode, and then nothing else may be called.
  absl::Status Read(std::string_view bytes);
  const SpiderFeedEntry& entry() const { return entry_; }

  // The rest is for an entry that is a request.
  const Request& request() const { return std::get<Request>(entry_.entry); }
  // Canonical: what was asked for at first, or where the last redirect led.
  std::string_view url() const {
    return redirects_.empty() ? request().url : redirects_.back().url;
  }
  // Those followed, and the one that led away. Valid until Follow.
  std::span<const Redirect> redirects() const { return redirects_; }
  // The URL that answered with the last redirect; without redirects the request's own.
  std::string_view answered_url() const;

  enum class Next : uint8_t {
    kFollow,  // url() is the next to ask: its robots.txt, its turn, its address
    kAway,  // url() is of another registered domain or perhaps out of scope: a link to it, and the
            // end
    kFailed,  // too many, a circle, or no URL to fetch: kRedirect, why() says which
  };
  // url() has answered with this status, a redirect, and this Location, which may be any bytes.
  // Redirects are followed within the registered domain only: another domain has another spider,
  // budget and delay; and only where the target surely is in scope: otherwise whoever knows the
  // seeds decides.
  Next Follow(uint32_t status, std::string_view location, UrlResolver& resolver,
              uint32_t max_redirects, const CrawlScope& scope = {});
  std::string_view why() const { return why_; }

 private:
  std::string bytes_;
  Arena arena_;
  SpiderFeedEntry entry_;            // into both
  std::vector<Redirect> redirects_;  // into arena_
  std::string_view why_;
};

}  // namespace orbweaver
