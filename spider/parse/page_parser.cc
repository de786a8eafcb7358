#include "spider/parse/page_parser.h"

#include <algorithm>
#include <cstring>

#include "common/base/utf8.h"
#include "common/model/limits.h"
#include "spider/parse/ascii.h"
#include "spider/parse/charset.h"
#include "spider/parse/css_urls.h"
#include "spider/parse/gzip_file.h"
#include "spider/parse/link_list.h"

namespace orbweaver {
namespace {

constexpr std::string_view kXhtml = "application/xhtml+xml";
constexpr std::string_view kCss = "text/css";

// The class of a media type for parsing. Binary content is not parsed.
enum class MediaClass { kUnknown, kHtml, kXml, kText, kBinary };

MediaClass ClassOf(std::string_view type) {
  // Of the gzip types: what is in the file is not told, and a server may have undone it already.
  if (type.empty() || type == "application/octet-stream" || type == "application/gzip" ||
      type == "application/x-gzip") {
    return MediaClass::kUnknown;
  }
  if (type == "text/html" || type == kXhtml) return MediaClass::kHtml;
  if (type == "text/xml" || type == "application/xml" || type.ends_with("+xml")) {
    return type.starts_with("image/") ? MediaClass::kBinary : MediaClass::kXml;
  }
  return type.starts_with("text/") ? MediaClass::kText : MediaClass::kBinary;
}

// Whether a body of no known type is HTML: it begins with markup.
bool LooksLikeHtml(std::string_view text) {
  text = TrimSpace(text);
  return text.size() > 1 && text[0] == '<' &&
         (IsAsciiLetter(text[1]) || text[1] == '!' || text[1] == '?');
}

bool HasNul(std::string_view bytes) {
  return bytes.substr(0, 512).find('\0') != std::string_view::npos;
}

// "de-AT, en" names more languages than a page has; the first is its own. Nothing unless it is
// made as BCP 47 has it.
std::string_view LanguageTag(std::string_view text) {
  text = TrimSpace(text.substr(0, text.find(',')));
  const bool fits = !text.empty() && text.size() <= kMaxLanguageBytes &&
                    std::all_of(text.begin(), text.end(), [](char c) {
                      return IsAsciiLetter(c) || (c >= '0' && c <= '9') || c == '-';
                    });
  return fits ? text : std::string_view();
}

}  // namespace

PageParser::PageParser(const ParseOptions& options, UrlResolver* resolver)
    : options_(options),
      engine_(MakeHtmlEngine(options.engine, /*styles=*/options.embedded)),
      xhtml_(/*styles=*/options.embedded),
      robots_(options.robots_name),
      links_(resolver, &arena_, options.prefer_embedded),
      html_(options.embedded, &links_, &robots_) {}

std::string_view PageParser::Keep(std::string_view text, size_t max_bytes) {
  return arena_.Copy(ClampUtf8(text, max_bytes));
}

void PageParser::Parse(const PageInput& input, ParsedPage* page) {
  arena_.Reset();
  unpacked_ = std::string();
  *page = ParsedPage();
  ReadHeaders(input);

  const std::string_view type =
      TrimSpace(input.content_type.substr(0, input.content_type.find(';')));
  if (type.size() <= kMaxContentTypeBytes && IsValidUtf8(type)) {
    const std::string_view kept = Keep(type, kMaxContentTypeBytes);
    std::transform(kept.begin(), kept.end(), const_cast<char*>(kept.data()), LowerAscii);
    page->content_type = kept;
  }
  MediaClass media = ClassOf(page->content_type);
  bool whole = true;
  std::string_view body = input.body;
  if (media != MediaClass::kHtml && media != MediaClass::kBinary && IsGzipFile(body)) {
    body = Unpack(body, &whole);
    media = MediaClass::kUnknown;
  }
  if (!body.empty() && media != MediaClass::kBinary) {
    const DetectedCharset charset = DetectCharset(body, input.content_type);
    const bool binary =
        media == MediaClass::kUnknown && !charset.name.starts_with("utf-16") && HasNul(body);
    if (!binary) {
      page->charset = charset.name;
      const std::string_view text = ToUtf8(body, charset.name, &arena_);
      const bool is_css = options_.embedded && page->content_type == kCss;
      if (is_css) {
        page->kind = DocumentKind::kStyleSheet;
      } else if (media != MediaClass::kHtml) {
        page->kind = KindOfList(text);
      }
      if (media == MediaClass::kUnknown && page->kind == DocumentKind::kOther &&
          LooksLikeHtml(text)) {
        media = MediaClass::kHtml;
      }
      if (media == MediaClass::kHtml) {
        page->kind = DocumentKind::kHtml;
        ParseHtml(body, text, charset.certain, input, page);
      } else if (is_css) {
        ParseStyleSheet(text, input, page);
      } else {
        ParseList(text, input, page);
        if (page->kind == DocumentKind::kOther) KeepText(text, page);
      }
    }
  }
  page->links_truncated = page->links_truncated || !whole;
  if (page->language.empty()) {
    page->language = Keep(LanguageTag(input.content_language), kMaxLanguageBytes);
  }
  page->robots_directives = Keep(robots_.text(), kMaxRobotsDirectivesBytes);
}

void PageParser::ReadHeaders(const PageInput& input) {
  robots_.Clear();
  for (const std::string_view header : input.x_robots_tags) robots_.AddHeader(header);
}

std::string_view PageParser::Unpack(std::string_view body, bool* whole) {
  const BodyBounds bounds{.max_bytes = options_.max_unpacked_bytes,
                          .max_compression = options_.max_compression};
  *whole = UnpackGzipFile(body, bounds, &unpacked_) == Unpacked::kWhole;
  return unpacked_;
}

void PageParser::BeginHtml(std::string_view text, const PageInput& input, const ParsedPage& page) {
  ReadHeaders(input);
  links_.Begin(text, page.charset, options_.max_page_links);
  html_.Begin();
}

void PageParser::ParseHtml(std::string_view body, std::string_view text, bool charset_is_certain,
                           const PageInput& input, ParsedPage* page) {
  bool complete = true;
  bool is_xml = false;
  if (page->content_type == kXhtml) {
    BeginHtml(text, input, *page);
    is_xml = xhtml_.Parse(text, html_);
  }
  if (!is_xml) {
    BeginHtml(text, input, *page);
    complete = engine_->Parse(text, html_);
    const std::string_view declared = html_.charset();
    if (!charset_is_certain && !declared.empty() && declared != page->charset) {
      // Behind the bytes that are looked through for it before: browsers begin again as well.
      page->charset = declared;
      text = ToUtf8(body, declared, &arena_);
      BeginHtml(text, input, *page);
      complete = engine_->Parse(text, html_);
    }
  }
  page->title = Keep(html_.title(), kMaxTitleBytes);
  std::string_view language = LanguageTag(html_.language());
  if (language.empty()) language = LanguageTag(html_.meta_language());
  page->language = Keep(language, kMaxLanguageBytes);
  page->text_bytes = html_.text_bytes();

  links_.SetBase(input.url);
  if (!html_.base().empty()) {
    const std::string_view base = links_.Resolve(html_.base());
    if (!base.empty()) links_.SetBase(base);
  }
  page->canonical_url = links_.Resolve(html_.canonical());
  ReadText(text, page);
  links_.Finish(input.url, robots_.nofollow(), page);
  page->links_truncated = page->links_truncated || !complete;
}

// A document that is text alone is its own text.
void PageParser::KeepText(std::string_view text, ParsedPage* page) {
  if (!options_.text.any() || !page->content_type.starts_with("text/")) return;
  const std::string_view kept = ClampUtf8(text, options_.text.max_bytes);
  if (options_.text.text) page->text = kept;
  if (options_.text.markdown) page->markdown = kept;
  page->text_truncated = kept.size() < text.size();
}

void PageParser::ReadText(std::string_view html, ParsedPage* page) {
  if (!options_.text.any()) return;
  size_t links = 0;
  readable_.Read(html, options_.text, [&](std::string_view href) {
    return ++links > options_.max_page_links ? std::string_view() : links_.Resolve(href);
  });
  page->text = readable_.text();
  page->markdown = readable_.markdown();
  page->text_truncated = readable_.truncated();
}

void PageParser::ParseStyleSheet(std::string_view text, const PageInput& input, ParsedPage* page) {
  // Its URLs are in UTF-8, whatever the sheet is in.
  links_.Begin(text, "utf-8", options_.max_page_links);
  CssUrlReader urls(text);
  for (CssUrl found; urls.Next(&found);) {
    if (NamesFile(found.url)) links_.Add({.href = found.url, .kind = LinkKind::kEmbed});
  }
  links_.SetBase(input.url);
  links_.Finish(input.url, robots_.nofollow(), page);
}

void PageParser::ParseList(std::string_view text, const PageInput& input, ParsedPage* page) {
  const bool feed = page->kind == DocumentKind::kFeed;
  // Only documents of HTML have URLs in a charset of their own.
  links_.Begin(text, "utf-8", feed ? options_.max_page_links : options_.max_sitemap_links);
  TextBuffer title(kMaxTitleBytes);
  ReadLinkList(text, page->kind, &links_, &title);
  page->title = Keep(title.view(), kMaxTitleBytes);
  links_.SetBase(input.url);
  links_.Finish(input.url, robots_.nofollow(), page);
}

}  // namespace orbweaver
