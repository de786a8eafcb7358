#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "common/model/spider_log.h"

namespace orbweaver {

// The totals of a crawl's spider log: pages by status, redirects that were not followed, errors by
// cause with some examples, the domains with most pages.
//
// Place: `orbweaver crawl` adds every entry that its spider writes; the live view and the closing
// summary are drawn from it. Bounded in memory. Not thread-safe.
class CrawlTally {
 public:
  static constexpr size_t kExamples = 3;
  static constexpr size_t kMostDomains = 200'000;

  struct Example {
    std::string url;
    std::string message;
  };
  struct Failures {
    uint64_t count = 0;
    std::vector<Example> examples;  // the first that came
  };
  struct Redirect {
    std::string from;
    std::string to;
  };
  struct Domain {
    uint64_t pages = 0;
    uint64_t failed = 0;
  };

  // A host that could not be reached when it was asked last.
  struct Unreachable {
    std::string origin;
    std::string message;
  };
  static constexpr size_t kMostUnreachable = 100;

  void Add(const SpiderLogEntry& entry);

  uint64_t pages() const { return pages_; }
  // Fetched only because pages embed them; they count as no pages.
  uint64_t assets() const { return assets_; }
  // Those that --sitemaps asked for. One that a strategy asks for by itself is a page to it.
  uint64_t sitemaps() const { return sitemaps_; }
  // All of them.
  uint64_t fetched() const { return pages_ + assets_ + sitemaps_; }
  // Answers that led to another domain, or perhaps out of scope: no pages.
  uint64_t redirects() const { return redirects_; }
  // Of requests of depth 0, the first that came.
  const std::vector<Redirect>& seed_redirects() const { return seed_redirects_; }
  uint64_t failed() const { return failed_; }
  // Not tried, for our own options: IsOfOurOwn. by_cause() has them too, failed() has not.
  uint64_t put_by() const { return put_by_; }
  // In the order in which they were found to be so; of more than kMostUnreachable the first.
  const std::vector<Unreachable>& unreachable() const { return unreachable_; }
  uint64_t deferred() const { return deferred_; }
  // As they came over the wire.
  uint64_t received_bytes() const { return received_bytes_; }
  uint64_t links() const { return links_; }
  // Of all answers, failed ones included.
  const std::map<uint32_t, uint64_t>& by_status() const { return by_status_; }
  const std::map<FailureCause, Failures>& by_cause() const { return by_cause_; }
  // How many domains had an outcome; from kMostDomains on, no new one is counted.
  size_t domains() const { return domains_.size(); }
  // Those with most pages, at most `count`.
  std::vector<std::pair<std::string, Domain>> TopDomains(size_t count) const;

 private:
  // Null: there are too many.
  Domain* FindDomain(std::string_view domain);
  void AddRedirect(const PageFetched& page);
  void NoteReached(std::string_view url);
  void AddFailure(const SpiderLogEntry& entry, const FetchFailed& failed);

  uint64_t pages_ = 0;
  uint64_t assets_ = 0;
  uint64_t sitemaps_ = 0;
  uint64_t redirects_ = 0;
  std::vector<Redirect> seed_redirects_;
  uint64_t failed_ = 0;
  uint64_t put_by_ = 0;
  uint64_t deferred_ = 0;
  uint64_t received_bytes_ = 0;
  uint64_t links_ = 0;
  std::map<uint32_t, uint64_t> by_status_;
  std::map<FailureCause, Failures> by_cause_;
  absl::flat_hash_map<std::string, Domain> domains_;
  std::vector<Unreachable> unreachable_;
};

}  // namespace orbweaver
