// The cost of links: as a spider meets them (`canonical`), and each step alone.
//
// The pages are made up, by a seed, in the proportions of real ones: mostly links within the site,
// written in three ways, some to other hosts, some with a query, a fragment, escapes or dots. A
// page has 60 links; they are 60 bytes long on average when resolved. All cases are bound by CPU.
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/url/domain.h"
#include "common/url/fingerprint.h"
#include "common/url/partition.h"
#include "common/url/resolver.h"
#include "common/url/whatwg_parser.h"
#include "tests/bench/bench.h"

namespace orbweaver {
namespace {

struct Page {
  std::string url;
  std::vector<std::string> links;
};

class Web {
 public:
  Web() {
    static constexpr std::string_view kSuffixes[] = {"com", "com",   "com",    "org",      "net",
                                                     "de",  "co.uk", "com.br", "github.io"};
    for (int i = 0; i < kHosts; ++i) {
      hosts_.push_back(fmt::format("{}{}.{}", random_.Chance(0.6) ? "www." : "", Word() + Word(),
                                   kSuffixes[random_.Below(std::size(kSuffixes))]));
    }
  }

  std::vector<Page> Pages(int count) {
    std::vector<Page> pages;
    for (int i = 0; i < count; ++i) pages.push_back(OnePage());
    return pages;
  }

 private:
  static constexpr int kHosts = 5000;
  static constexpr int kLinks = 60;

  std::string Word() {
    static constexpr std::string_view kWords[] = {
        "news",    "product", "category", "article", "about",  "archive", "images",  "world",
        "science", "sport",   "health",   "travel",  "review", "forum",   "thread",  "user",
        "market",  "garden",  "music",    "school",  "energy", "history", "weather", "video"};
    return std::string(kWords[random_.Below(std::size(kWords))]);
  }

  std::string File() {
    std::string file = Word() + "-" + Word();
    if (random_.Chance(0.5)) file += fmt::format("-{}", random_.Below(100'000));
    if (random_.Chance(0.3)) file += ".html";
    if (random_.Chance(0.03)) file += "-caf%C3%A9";
    if (random_.Chance(0.15)) file += fmt::format("?page={}&sort={}", random_.Below(50), Word());
    if (random_.Chance(0.05)) file += "#comments";
    return file;
  }

  std::string Path() {
    std::string path = "/";
    for (uint64_t n = random_.Below(4); n > 0; --n) path += Word() + "/";
    return path + File();
  }

  std::string Link(const std::string& host) {
    const double kind = random_.Unit();
    if (kind < 0.45) return Path();
    if (kind < 0.60) return "https://" + host + Path();
    if (kind < 0.75) return "https://" + hosts_[random_.Below(kHosts)] + Path();
    if (kind < 0.78) return "http://" + hosts_[random_.Below(kHosts)];
    if (kind < 0.90) return File();
    if (kind < 0.93) return "../" + File();
    if (kind < 0.96) return "#" + Word();
    if (kind < 0.98) return "//" + hosts_[random_.Below(kHosts)] + Path();
    return "/caf\xC3\xA9/" + Word() + " " + File();
  }

  Page OnePage() {
    const std::string& host = hosts_[random_.Below(kHosts)];
    Page page{.url = "https://" + host + Path(), .links = {}};
    for (int i = 0; i < kLinks; ++i) page.links.push_back(Link(host));
    return page;
  }

  Random random_{42};
  std::vector<std::string> hosts_;
};

// Keeps the compiler from dropping what nobody reads.
template <typename T>
void Keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

// Calls `work` on each of `items` until `total` calls are done, and reports calls a CPU second.
template <typename Items, typename Work>
void Measure(BenchReport& report, std::string_view name, std::string_view unit, const Items& items,
             const Work& work) {
  constexpr size_t kCalls = 2'000'000;
  size_t done = 0;
  const CpuTimer timer;
  while (done < kCalls) {
    for (const auto& item : items) work(item);
    done += items.size();
  }
  report.AddRate(name, static_cast<double>(done), unit, timer, "CPU");
}

void Canonical(BenchReport& report, std::string_view name, const UrlOptions& options,
               const PublicSuffixes& suffixes, const std::vector<Page>& pages) {
  UrlResolver resolver(options, suffixes);
  size_t links = 0;
  const CpuTimer timer;
  for (int round = 0; round < 20; ++round) {
    for (const Page& page : pages) {
      CHECK(resolver.SetBase(page.url) == UrlError::kNone);
      for (const std::string& link : page.links) {
        ResolvedUrl url;
        if (resolver.Resolve(link, &url) == UrlError::kNone) Keep(url.fingerprint.low);
      }
      links += page.links.size();
    }
  }
  report.AddRate(name, static_cast<double>(links), "urls/cpu_s", timer, "CPU");
}

void UrlBench(BenchReport& report) {
  const auto suffixes = PublicSuffixes::Load({}).value();
  const std::vector<Page> pages = Web().Pages(2000);

  std::vector<std::string> urls;
  std::vector<std::string> hosts;
  UrlCanonicalizer canonicalizer({});
  size_t bytes = 0;
  for (const Page& page : pages) {
    CHECK(canonicalizer.SetBase(page.url) == UrlError::kNone);
    for (const std::string& link : page.links) {
      // A few fall under the rule of repeated segments.
      if (canonicalizer.Canonicalize(link) != UrlError::kNone) continue;
      urls.emplace_back(canonicalizer.url());
      hosts.emplace_back(canonicalizer.host());
      bytes += urls.back().size();
    }
  }
  report.Add("canonical_length", static_cast<double>(bytes) / static_cast<double>(urls.size()),
             "bytes/url", 0, 0, "given");

  Canonical(report, "canonical", {}, *suffixes, pages);
  Canonical(
      report, "canonical_all_options",
      {.sort_query = true, .collapse_slashes = true, .drop_tracking = true, .drop_sessions = true},
      *suffixes, pages);
  WhatwgParser parser;
  Measure(report, "parse", "urls/cpu_s", urls, [&](const std::string& url) {
    UrlParts parts;
    CHECK(parser.Parse(url, &parts) == UrlError::kNone);
    Keep(parts.path.data());
  });
  Measure(report, "canonicalize_canonical", "urls/cpu_s", urls, [&](const std::string& url) {
    CHECK(canonicalizer.Canonicalize(url) == UrlError::kNone);
    Keep(canonicalizer.url().data());
  });
  Measure(report, "registered_domain", "hosts/cpu_s", hosts,
          [&](const std::string& host) { Keep(suffixes->RegisteredDomain(host).data()); });
  DomainCache cache(*suffixes);
  Measure(report, "registered_domain_cached", "hosts/cpu_s", hosts,
          [&](const std::string& host) { Keep(cache.Find(host).slot.value()); });
  Measure(report, "fingerprint", "urls/cpu_s", urls,
          [](const std::string& url) { Keep(FingerprintOf(url).low); });
  Measure(report, "murmur2", "domains/cpu_s", hosts,
          [](const std::string& host) { Keep(Murmur2(host)); });
}

ORBWEAVER_BENCH("url", UrlBench);

}  // namespace
}  // namespace orbweaver
