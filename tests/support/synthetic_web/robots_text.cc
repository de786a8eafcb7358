#include "tests/support/synthetic_web/robots_text.h"

#include "fmt/format.h"

#include "common/base/random.h"

namespace orbweaver::synthetic {
namespace {

constexpr std::string_view kFolderRules =
    "Disallow: /private/\n"
    "Allow: /private/open/\n";
constexpr std::string_view kPatternRule = "Disallow: /*.print$\n";

// RFC 9309, section 2.5: at least 500 KiB must be read.
constexpr size_t kHugeRulesAt = 400'000, kHugeBytes = 1'000'000;

void AppendJunk(size_t until, std::string* out) {
  while (out->size() < until) out->append("# nothing to be read here, in a line of some length\n");
}

}  // namespace

void AppendRobots(const RobotsFile& file, std::string* out) {
  switch (file.kind) {
    case RobotsKind::kGarbage: {
      Random random(file.seed);
      for (int i = 0; i < 3000; ++i) out->push_back(static_cast<char>(random.Below(256)));
      return;
    }
    case RobotsKind::kEmpty:
      break;
    case RobotsKind::kDisallowAll:
      out->append("User-agent: *\nDisallow: /\n");
      return;
    case RobotsKind::kOwnGroup:
      // Section 2.2.1: names of agents in any case; a group of one's own takes the place of `*`.
      out->append(
          "User-agent: otherbot\nDisallow: /\n\nUser-agent: *\nDisallow: /\n\nUSER-AGENT: ");
      for (const char c : file.agent) {
        out->push_back(c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
      }
      out->append("\n").append(kFolderRules).append(kPatternRule);
      break;
    case RobotsKind::kHuge:
      out->append("User-agent: *\n").append(kFolderRules);
      AppendJunk(kHugeRulesAt, out);
      // Groups of the same agent are one.
      out->append("User-agent: *\n").append(kPatternRule);
      break;
    default:
      out->append("# A robots.txt as most are.\nUser-agent: *\n");
      out->append(kFolderRules).append(kPatternRule);
      if (file.kind == RobotsKind::kCrawlDelay) {
        fmt::format_to(std::back_inserter(*out), "Crawl-delay: {}\n",
                       static_cast<double>(file.crawl_delay.count()) / 1000);
      }
  }
  if (!file.sitemap.empty()) out->append("Sitemap: ").append(file.sitemap).append("\n");
  if (file.kind == RobotsKind::kHuge) AppendJunk(kHugeBytes, out);
  if (file.kind == RobotsKind::kByteOrderMark) {
    std::string marked = "\xEF\xBB\xBF";
    for (const char c : *out) c == '\n' ? (void)marked.append("\r\n") : marked.push_back(c);
    *out = std::move(marked);
  }
}

void AppendSitemapXml(const Paths& paths, const std::vector<Place>& places, bool index,
                      std::string* out) {
  const std::string_view list = index ? "sitemapindex" : "urlset";
  const std::string_view entry = index ? "sitemap" : "url";
  out->append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<").append(list);
  out->append(" xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
  for (const Place& place : places) {
    out->append("<").append(entry).append("><loc>");
    paths.AppendOrigin(place.host, out);
    paths.AppendTarget(place, out, "&amp;");
    out->append("</loc></").append(entry).append(">\n");
  }
  out->append("</").append(list).append(">\n");
}

}  // namespace orbweaver::synthetic
