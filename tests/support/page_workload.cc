#include "tests/support/page_workload.h"

#include <chrono>

#include "fmt/format.h"

#include "common/base/random.h"
#include "common/base/status.h"
#include "common/model/spider_log.h"
#include "common/url/fingerprint.h"

namespace orbweaver {
namespace {

constexpr WallTime kStart(std::chrono::hours(24 * 365 * 50));

}  // namespace

std::string PageWorkload::DomainOf(int host) const { return fmt::format("site{:04}.test", host); }

// About as long as links of real pages are.
std::string PageWorkload::UrlOf(int host, int number) const {
  return fmt::format("https://www.{}/articles/{}/an-entry-of-some-length-{}.html", DomainOf(host),
                     2000 + number % 25, number);
}

int PageWorkload::KnownUrls(int host, int pages) const {
  const int of_host = pages / options_.hosts + (host < pages % options_.hosts ? 1 : 0);
  return options_.known + of_host * options_.fresh;
}

template <typename Event>
PageWorkload::Entry PageWorkload::Encoded(const std::string& domain, Event event) {
  const auto bytes = Encode(SpiderLogEntry{.domain = domain, .event = std::move(event)}, &buffer_);
  CHECK_OK(bytes.status());
  return {.domain = domain, .value = std::string(*bytes)};
}

std::vector<PageWorkload::Entry> PageWorkload::Seeds() {
  std::vector<Entry> entries;
  for (int host = 0; host < options_.hosts; ++host) {
    std::vector<std::string> urls;
    for (int i = 0; i < options_.known; ++i) urls.push_back(UrlOf(host, i));
    std::vector<Seed> seeds;
    for (const std::string& url : urls) seeds.push_back({.url = url});
    entries.push_back(Encoded(DomainOf(host), orbweaver::Seeds{.seeds = seeds}));
  }
  return entries;
}

std::vector<PageWorkload::Entry> PageWorkload::NextPage() {
  const int host = pages_ % options_.hosts;
  const int known = KnownUrls(host, pages_);
  Random random(options_.seed * 1'000'003 + static_cast<uint64_t>(pages_));
  const std::string domain = DomainOf(host);
  // Pages are crawled in the order in which they became known, as breadth-first does.
  const std::string page_url = UrlOf(host, pages_ / options_.hosts % known);
  const Fingerprint fingerprint = FingerprintOf(page_url);
  const WallTime now = kStart + std::chrono::milliseconds(pages_);

  std::vector<std::string> urls;
  const int first = static_cast<int>(random.Below(static_cast<uint64_t>(known)));
  const int old = options_.links - options_.fresh;
  for (int i = 0; i < old; ++i) urls.push_back(UrlOf(host, (first + i) % known));
  for (int i = 0; i < options_.fresh; ++i) urls.push_back(UrlOf(host, known + i));
  std::vector<Link> links;
  for (const std::string& url : urls) links.push_back({.url = url, .anchor = "An entry"});

  std::vector<Entry> entries;
  entries.push_back(Encoded(
      domain,
      PageFetched{
          .request = {.url = page_url, .fingerprint = fingerprint, .domain = domain, .score = 1},
          .status = 200,
          .fetched_at = now,
          .body_bytes = 20'000,
          .content_hash = FingerprintOf(domain),
          .content_type = "text/html",
          .title = "A page",
          .links_inside = static_cast<uint32_t>(links.size())}));
  entries.push_back(
      Encoded(domain, LinksFound{.source = {.url = page_url,
                                            .fingerprint = fingerprint,
                                            .link_count = static_cast<uint32_t>(links.size())},
                                 .links = links}));
  ++pages_;
  return entries;
}

std::vector<std::string> PageWorkload::Urls() const {
  std::vector<std::string> urls;
  for (int host = 0; host < options_.hosts; ++host) {
    const int known = KnownUrls(host, pages_);
    for (int i = 0; i < known; ++i) urls.push_back(UrlOf(host, i));
  }
  return urls;
}

}  // namespace orbweaver
