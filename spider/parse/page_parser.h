// A fetched body becomes what the spider log says about it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/model/arena.h"
#include "common/url/resolver.h"
#include "spider/parse/html_engine.h"
#include "spider/parse/html_reader.h"
#include "spider/parse/link_collector.h"
#include "spider/parse/page.h"
#include "spider/parse/parse_options.h"
#include "spider/parse/readable_text.h"
#include "spider/parse/robots_directives.h"
#include "spider/parse/xhtml_scanner.h"

namespace orbweaver {

// Charset, UTF-8, the kind of document, its links resolved and grouped.
//
// Place: spider, between fetch and publish. Links are resolved here and not in publish: the base is
// parsed once for all of a page's links, and the same URL twice is dropped before it costs more.
// Not thread-safe; one a thread, kept for long: it owns its buffers.
class PageParser {
 public:
  // `resolver` must outlive this; its base is the page's from then on.
  PageParser(const ParseOptions& options, UrlResolver* resolver);

  // Any bytes are some page: there is no failure. Takes time and memory in proportion to the body,
  // and to the options' bounds. `page` is valid until the next call, and as long as `input`.
  void Parse(const PageInput& input, ParsedPage* page);

 private:
  // `body` again when the document says further on in which charset it is; else as ParseList.
  void ParseHtml(std::string_view body, std::string_view text, bool charset_is_certain,
                 const PageInput& input, ParsedPage* page);
  void BeginHtml(std::string_view text, const PageInput& input, const ParsedPage& page);
  void ParseStyleSheet(std::string_view text, const PageInput& input, ParsedPage* page);
  void ParseList(std::string_view text, const PageInput& input, ParsedPage* page);
  void ReadText(std::string_view html, ParsedPage* page);
  void KeepText(std::string_view text, ParsedPage* page);
  // Forgets the directives of another document, or of an attempt at this one.
  void ReadHeaders(const PageInput& input);
  // The body, or what is in it when it is a gzip file; `whole` says whether that is all of it.
  std::string_view Unpack(std::string_view body, bool* whole);
  std::string_view Keep(std::string_view text, size_t max_bytes);

  const ParseOptions options_;
  Arena arena_;
  std::string unpacked_;
  const std::unique_ptr<HtmlEngine> engine_;
  XhtmlScanner xhtml_;
  RobotsDirectives robots_;
  LinkCollector links_;
  HtmlReader html_;
  ReadableText readable_;
};

}  // namespace orbweaver
