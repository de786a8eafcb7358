// Which page links where, and which pages have a trouble.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/support/synthetic_web/hosts.h"
#include "tests/support/synthetic_web/paths.h"
#include "tests/support/synthetic_web/place.h"
#include "tests/support/synthetic_web/web_options.h"

namespace orbweaver::synthetic {

enum class PageCase : uint8_t { kOrdinary, kFaulty, kGone, kFailing };

// Immutable, so thread-safe. The arguments must outlive this.
//
// With five links or more a page a host's pages form a tree of four children each, so that all hang
// together; the other links lead anywhere.
class LinkGraph {
 public:
  struct Link {
    Place to;
    uint64_t page_bits;  // Paths::BitsOf(to)
    uint64_t bits;       // random, for how the link is written
  };
  static constexpr uint32_t kUrlsPerSitemap = 1000;

  LinkGraph(const WebOptions& options, const Hosts& hosts, const Paths& paths);

  // The `index`th of WebOptions::links_per_page links of a page, whose Paths::BitsOf are
  // `page_bits`.
  Link LinkOf(uint32_t host, uint32_t page, uint64_t page_bits, uint32_t index) const;

  // The outcome of a request for a page: kFaulty when its host's fault concerns it.
  PageCase CaseOf(uint32_t host, uint32_t page) const;

  // Of a page of a host with duplicates: the page whose content it has, perhaps itself.
  uint32_t OriginalOf(uint32_t host, uint32_t page) const;

  // How many sitemaps the host's /sitemap.xml names; 0 when that lists the pages itself.
  uint32_t SitemapsOf(uint32_t host) const;
  // The pages that sitemap `number` lists; all places when it is an index. None without sitemaps.
  void AppendSitemap(uint32_t host, uint32_t number, std::vector<Place>* out) const;

 private:
  // Only a sitemap leads there.
  bool IsOrphan(uint32_t host, uint32_t page, uint64_t page_bits) const;

  const WebOptions options_;
  const Hosts& hosts_;
  const Paths& paths_;
  const uint64_t outside_;  // of 65536 links
};

// Whether the fault is one of all pages of its host.
bool ConcernsAllPages(Fault fault);
// Whether the first requests of a URL fail and the others do not.
bool IsTransient(Fault fault);

}  // namespace orbweaver::synthetic
