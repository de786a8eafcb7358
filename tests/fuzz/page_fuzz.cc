// No bytes that a server sends may crash the spider's parsers, make them grow past their bounds, or
// become an entry that the spider log refuses.
//
// Input: a byte that chooses the parser (0 scanner, 1 gumbo, 2 sitemaps and feeds, 3 charsets, 4
// robots.txt, 5 sitemaps that are gzip files, 6 style sheets), then its bytes. One program for all,
// so that the gate stays short.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "common/base/utf8.h"
#include "common/model/limits.h"
#include "common/model/split.h"
#include "spider/parse/charset.h"
#include "spider/parse/page_parser.h"
#include "spider/robots/robots_rules.h"
#include "tests/fuzz/time_bound.h"

namespace orbweaver {
namespace {

constexpr unsigned kParsers = 7;
constexpr size_t kMaxLinksTaken = 200;
constexpr size_t kMaxUnpackedBytes = 1 << 20;
// One is never met by what is repeated, so that its time shows; the other one often is.
constexpr size_t kMaxTextBytes = 1 << 20;
constexpr size_t kFewTextBytes = 4 << 10;

struct Parser {
  explicit Parser(HtmlEngineKind kind)
      : parser(
            {.engine = kind,
             .embedded = true,
             .max_page_links = kMaxLinksTaken,
             .max_sitemap_links = kMaxLinksTaken,
             .max_unpacked_bytes = kMaxUnpackedBytes,
             .text = {.text = true,
                      .markdown = true,
                      .max_bytes = kind == HtmlEngineKind::kGumbo ? kFewTextBytes : kMaxTextBytes}},
            &resolver) {}
  std::unique_ptr<const PublicSuffixes> suffixes = PublicSuffixes::Load({}).value();
  UrlResolver resolver{UrlOptions(), *suffixes};
  PageParser parser;
};

void CheckPage(const ParsedPage& page, size_t max_text_bytes) {
  EncodeBuffer buffer;
  SpiderLogEntry entry{.domain = "example.com"};
  auto& fetched = entry.event.emplace<PageFetched>();
  fetched.request.url = "http://example.com/";
  fetched.request.domain = "example.com";
  DescribeContent(page, &fetched);
  CHECK(Encode(entry, &buffer).ok());
  size_t count = 0;
  for (const DomainLinks& domain : page.domains) {
    CHECK(!domain.links.empty());
    count += domain.links.size();
    SpiderLogEntry found{.domain = domain.domain};
    auto& links = found.event.emplace<LinksFound>();
    links.source.url = "http://example.com/";
    links.links = domain.links;
    CHECK(Encode(found, &buffer).ok());
  }
  for (const std::string_view text : {page.text, page.markdown}) {
    CHECK(IsValidUtf8(text) && text.size() <= max_text_bytes);
  }
  CHECK(count == page.links_inside + page.links_outside && count <= kMaxLinksTaken);
}

void ParsePage(HtmlEngineKind kind, std::string_view type, std::string_view body) {
  static Parser scanner(HtmlEngineKind::kScanner);
  static Parser gumbo(HtmlEngineKind::kGumbo);
  Parser& parser = kind == HtmlEngineKind::kGumbo ? gumbo : scanner;
  ParsedPage page;
  const std::string_view headers[] = {body.substr(0, body.find('\n'))};
  parser.parser.Parse({.url = "http://example.com/dir/",
                       .body = body,
                       .content_type = type,
                       .content_language = body.substr(0, 20),
                       .x_robots_tags = headers},
                      &page);
  CheckPage(page, kind == HtmlEngineKind::kGumbo ? kFewTextBytes : kMaxTextBytes);
}

void Charsets(std::string_view bytes) {
  Arena arena;
  CHECK(!DetectCharset(bytes, bytes.substr(0, 64)).name.empty());
  const std::string_view label = bytes.substr(0, bytes.find('\n'));
  const std::string_view charset = CharsetOfLabel(label);
  const std::string_view text = ToUtf8(bytes, charset.empty() ? "utf-8" : charset, &arena);
  CHECK(IsValidUtf8(text) && text.size() <= 3 * bytes.size() + 6);
}

void Robots(std::string_view file) {
  const RobotsRules rules = RobotsRules::Parse(file, "orbweaver");
  CHECK(rules.sitemaps().size() <= kMaxSitemaps);
  CHECK(rules.HeldBytes() <= 10'000 + 64 * file.size());
  const std::string path = "/" + std::string(file.substr(0, 2000));
  const RobotsDecision decision = rules.Decide(path);
  CHECK(decision.allowed || decision.line > 0);
  CHECK(rules.Decide("/robots.txt").allowed);
}

// Gumbo is not instrumented: what sanitizers cost elsewhere is room for its tree.
double MsFor(std::string_view input) {
  const bool is_gzip = !input.empty() && static_cast<uint8_t>(input[0]) % kParsers == 5;
  return MsForBytes(input.size() + (is_gzip ? kMaxUnpackedBytes : 0));
}

}  // namespace
}  // namespace orbweaver

static void RunOne(const uint8_t* data, size_t size) {
  using namespace orbweaver;
  if (size == 0) return;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % kParsers) {
    case 0:
      ParsePage(HtmlEngineKind::kScanner, "text/html", bytes);
      break;
    case 1:
      ParsePage(HtmlEngineKind::kGumbo, "text/html", bytes);
      break;
    case 2:
      ParsePage(HtmlEngineKind::kScanner, "application/xml", bytes);
      break;
    case 3:
      Charsets(bytes);
      break;
    case 4:
      Robots(bytes);
      break;
    case 5:
      ParsePage(HtmlEngineKind::kScanner, "application/gzip", bytes);
      break;
    default:
      ParsePage(HtmlEngineKind::kScanner, "text/css", bytes);
      break;
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return orbweaver::RunWithinTime(data, size, RunOne, orbweaver::MsFor);
}
