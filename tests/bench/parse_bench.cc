// The cost of a document from its bytes to the structs of the spider log: charset, tokens or tree,
// links resolved, grouped. `parse_` rows count pages, `mb_` rows the same run in bytes.
//
// The pages are made up, by a seed, in the proportions of real ones: markup is two thirds of the
// bytes, links are mostly within the site. `plain` pages are those of the synthetic web, which
// crawls are measured on: long paragraphs that begin with a link. Then the documents that cost the
// square of their size where a parser is careless: `ms` is the CPU time of one.
#include <cstdlib>
#include <string>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/random.h"
#include "spider/parse/page_parser.h"
#include "tests/bench/bench.h"
#include "tests/support/hostile_html.h"

namespace orbweaver {
namespace {

constexpr std::string_view kUrl = "http://www.example.com/news/2024/page.html";

class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed) {}

  // A page of about `bytes` with so many links.
  std::string Page(size_t bytes, int links) {
    std::string html =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + Words(6) +
        "</title><link rel=\"stylesheet\" href=\"/style.css\"><meta name=\"description\" "
        "content=\"" +
        Words(20) + "\"><script>window.data = {\"a\": [1, 2, 3]};</script></head>\n<body>";
    for (int i = 0; i < links; ++i) {
      html += "<div class=\"row item-" + std::to_string(i) + "\">\n  <p class=\"text\">";
      while (html.size() < (i + 1) * bytes / static_cast<size_t>(links) - 160) {
        html += Words(9) + " <span class=\"c-" + std::to_string(random_.Below(99)) + "\">" +
                Words(2) + "</span> ";
      }
      html += "</p>\n  <a class=\"link\" href=\"" + Href() + "\" title=\"" + Words(2) + "\">" +
              Words(3) + "</a></div>\n";
    }
    return html + "</body></html>\n";
  }

  std::string PlainPage(size_t bytes, int links) {
    std::string html = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                       Words(4) + "</title></head>\n<body>\n";
    for (int i = 0; i < links; ++i) {
      html += "<p><a href=\"" + Href() + "\">" + Words(2) + "</a> ";
      while (html.size() < (i + 1) * bytes / static_cast<size_t>(links) - 40) {
        html += Words(5) + " na\xc3\xafve ";
      }
      html += "</p>\n";
    }
    return html + "</body></html>\n";
  }

 private:
  std::string Words(int count) {
    static constexpr std::string_view kWords[] = {
        "river", "stone",  "garden", "market",  "letter", "window", "and",    "orange",
        "the",   "of",     "bridge", "silver",  "winter", "music",  "castle", "a",
        "in",    "forest", "mirror", "between", "people", "about",  "night",  "paper"};
    std::string text;
    for (int i = 0; i < count; ++i) {
      if (i > 0) text += ' ';
      text += kWords[random_.Below(std::size(kWords))];
    }
    return text;
  }
  std::string Href() {
    const auto number = random_.Below(100'000);
    switch (random_.Below(6)) {
      case 0:
        return fmt::format("https://host{}.example.org/story/{}", random_.Below(20), number);
      case 1:
        return fmt::format("page-{}.html", number);
      case 2:
        return fmt::format("/search?q={}&amp;page=2", number);
      case 3:
        return fmt::format("../2023/{}#comments", number);
      default:
        return fmt::format("/news/2024/some-longer-title-of-a-page-{}", number);
    }
  }

  Random random_;
};

using MakePage = std::string (Writer::*)(size_t bytes, int links);

void Pages(BenchReport& report, PageParser& parser, std::string_view engine, std::string_view size,
           MakePage make, size_t bytes, int links, int count) {
  std::vector<std::string> pages;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    Writer writer(seed);
    pages.push_back((writer.*make)(bytes, links));
  }
  ParsedPage page;
  size_t done = 0;
  const CpuTimer timer;
  for (int i = 0; i < count; ++i) {
    const std::string& body = pages[static_cast<size_t>(i) % pages.size()];
    parser.Parse({.url = kUrl, .body = body, .content_type = "text/html"}, &page);
    CHECK(page.links_inside + page.links_outside >= static_cast<uint32_t>(links) - 5);
    done += body.size();
  }
  report.AddRate(fmt::format("parse_{}_{}", engine, size), count, "pages/cpu_s", timer,
                 "CPU: tokens, then links");
  report.AddRate(fmt::format("mb_{}_{}", engine, size), static_cast<double>(done) / 1e6, "MB/cpu_s",
                 timer, "the same run");
}

void Bound(BenchReport& report, PageParser& parser, std::string_view engine, std::string_view name,
           const std::string& html) {
  ParsedPage page;
  constexpr int kRuns = 5;
  const CpuTimer timer;
  for (int i = 0; i < kRuns; ++i) {
    parser.Parse({.url = kUrl, .body = html, .content_type = "text/html"}, &page);
  }
  report.Add(fmt::format("bound_{}_{}", engine, name), timer.CpuSeconds() * 1000 / kRuns, "ms",
             timer.CpuSeconds(), timer.WallSeconds(), "wanted: below 50 ms");
}

void ParseBench(BenchReport& report) {
  const auto suffixes = PublicSuffixes::Load({}).value();
  UrlResolver resolver(UrlOptions(), *suffixes);
  for (const auto& [engine, kind] : {std::pair{"scanner", HtmlEngineKind::kScanner},
                                     std::pair{"gumbo", HtmlEngineKind::kGumbo}}) {
    PageParser parser({.engine = kind}, &resolver);
    const int count = kind == HtmlEngineKind::kGumbo ? 500 : 5000;
    Pages(report, parser, engine, "20kb_60_links", &Writer::Page, 20'000, 60, count);
    Pages(report, parser, engine, "48kb_120_links", &Writer::Page, 48'000, 120, count / 2);
    Pages(report, parser, engine, "254kb_200_links", &Writer::Page, 254'000, 200, count / 10);
    Pages(report, parser, engine, "plain_20kb_60_links", &Writer::PlainPage, 20'000, 60, count);
    Bound(report, parser, engine, "unclosed_b_p_200kb", UnclosedFormatting());
    Bound(report, parser, engine, "nested_div_100k", NestedDivs());
    Bound(report, parser, engine, "attributes_10k", ManyAttributes());
  }
  std::string sitemap = "<urlset>";
  for (int i = 0; i < 10'000; ++i) {
    sitemap += fmt::format(
        "<url><loc>https://www.example.com/page/{}</loc>"
        "<lastmod>2024-01-01</lastmod></url>\n",
        i);
  }
  PageParser parser(ParseOptions(), &resolver);
  ParsedPage page;
  const CpuTimer timer;
  constexpr int kRuns = 20;
  for (int i = 0; i < kRuns; ++i) {
    parser.Parse({.url = kUrl, .body = sitemap, .content_type = "text/xml"}, &page);
    CHECK(page.links_inside == 10'000);
  }
  report.AddRate("sitemap", kRuns * 10'000, "urls/cpu_s", timer, "CPU: links");
}

ORBWEAVER_BENCH("parse", ParseBench);

}  // namespace
}  // namespace orbweaver
