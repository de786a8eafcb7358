#include "tests/support/synthetic_web/link_graph.h"

#include <algorithm>

namespace orbweaver::synthetic {
namespace {

constexpr uint32_t kChildren = 4;

// A home page that never comes would hide its host.
bool MayConcernHomePages(Fault fault) {
  return ConcernsAllPages(fault) || IsTransient(fault) || fault == Fault::kDrip;
}

}  // namespace

bool ConcernsAllPages(Fault fault) {
  return fault == Fault::kSlowFirstByte || fault == Fault::kGzip || fault == Fault::kWrongCharset;
}

bool IsTransient(Fault fault) {
  switch (fault) {
    case Fault::kReset:
    case Fault::kShortBody:
    case Fault::kTooManyRequests:
    case Fault::kTooManyRequestsBare:
    case Fault::kUnavailable:
    case Fault::kUnavailableBare:
      return true;
    default:
      return false;
  }
}

LinkGraph::LinkGraph(const WebOptions& options, const Hosts& hosts, const Paths& paths)
    : options_(options),
      hosts_(hosts),
      paths_(paths),
      outside_(static_cast<uint64_t>(options.outside_links * 65536)) {}

LinkGraph::Link LinkGraph::LinkOf(uint32_t host, uint32_t page, uint64_t page_bits,
                                  uint32_t index) const {
  const uint32_t pages = options_.pages_per_host;
  const uint64_t bits = Mix(page_bits ^ 0x117c, index);
  Place to{.host = host, .number = 0, .kind = Place::Kind::kPage};
  const uint64_t child = uint64_t{page} * kChildren + index;
  if (index >= 1 && index <= kChildren && child < pages) {
    to.number = static_cast<uint32_t>(child);
  } else if (index > 0) {
    const uint64_t spread = Mix(bits, 1);
    if ((bits & 0xffff) < outside_) {
      to.host = static_cast<uint32_t>((spread >> 32) * hosts_.count() >> 32);
      // People link home pages more than others.
      if ((bits >> 16 & 3) != 0) to.number = static_cast<uint32_t>((spread & 0xffffffff) % pages);
    } else {
      to.number = static_cast<uint32_t>((spread & 0xffffffff) % pages);
    }
  }
  uint64_t to_bits = paths_.BitsOf(to.host, to.number);
  if (IsOrphan(to.host, to.number, to_bits)) {
    to.number = 0;
    to_bits = paths_.BitsOf(to.host, 0);
  }
  return {.to = to, .page_bits = to_bits, .bits = bits >> 32};
}

PageCase LinkGraph::CaseOf(uint32_t host, uint32_t page) const {
  const Fault fault = hosts_.TraitsOf(host).fault;
  if (ConcernsAllPages(fault)) return PageCase::kFaulty;
  const uint64_t bits = Mix(paths_.BitsOf(host, page), 7);
  if (fault != Fault::kNone && (page != 0 || MayConcernHomePages(fault)) &&
      Falls(bits, options_.faulty_pages)) {
    return PageCase::kFaulty;
  }
  if (page == 0) return PageCase::kOrdinary;
  if (Falls(bits >> 16, options_.gone_pages)) return PageCase::kGone;
  if (Falls(bits >> 32, options_.failing_pages)) return PageCase::kFailing;
  return PageCase::kOrdinary;
}

uint32_t LinkGraph::OriginalOf(uint32_t host, uint32_t page) const {
  while (CaseOf(host, page) == PageCase::kFaulty) page /= 2;
  return page;
}

bool LinkGraph::IsOrphan(uint32_t host, uint32_t page, uint64_t page_bits) const {
  return (page_bits >> 48 & 31) == 0 && page != 0 &&
         hosts_.TraitsOf(host).sitemaps != SitemapKind::kNone;
}

uint32_t LinkGraph::SitemapsOf(uint32_t host) const {
  const SitemapKind kind = hosts_.TraitsOf(host).sitemaps;
  if (kind == SitemapKind::kNone || kind == SitemapKind::kPlain) return 0;
  return (options_.pages_per_host + kUrlsPerSitemap - 1) / kUrlsPerSitemap;
}

void LinkGraph::AppendSitemap(uint32_t host, uint32_t number, std::vector<Place>* out) const {
  const SitemapKind kind = hosts_.TraitsOf(host).sitemaps;
  if (kind == SitemapKind::kNone) return;
  const uint32_t sitemaps = SitemapsOf(host);
  if (number == 0 && sitemaps > 0) {
    for (uint32_t i = 1; i <= sitemaps; ++i) {
      out->push_back({.host = host, .number = i, .kind = Place::Kind::kSitemap});
    }
    return;
  }
  uint32_t from = 0;
  uint32_t to = options_.pages_per_host;
  if (number > 0) {
    if (number > sitemaps) return;
    from = (number - 1) * kUrlsPerSitemap;
    to = std::min(to, from + kUrlsPerSitemap);
  }
  for (uint32_t page = from; page < to; ++page) {
    // Sitemaps forget some pages, never those that nothing else names.
    const uint64_t bits = paths_.BitsOf(host, page);
    if (!IsOrphan(host, page, bits) && (bits >> 53 & 3) == 0) continue;
    out->push_back({.host = host, .number = page, .kind = Place::Kind::kPage});
  }
}

}  // namespace orbweaver::synthetic
