#include "spider/mirror/link_converter.h"

#include <cstdint>
#include <vector>

#include "common/url/percent.h"
#include "spider/parse/ascii.h"
#include "spider/parse/attribute_values.h"
#include "spider/parse/character_reference.h"
#include "spider/parse/charset.h"
#include "spider/parse/css_urls.h"
#include "spider/publish/mirror_path.h"

namespace orbweaver {
namespace {

using Kind = HtmlUrlPlace::Kind;

constexpr std::string_view kUtf8 = "utf-8";

// Links that a crawl would not follow are links all the same.
UrlOptions EveryUrl() {
  UrlOptions options;
  options.max_bytes = size_t{1} << 20;
  options.max_segments = size_t{1} << 20;
  options.max_segment_repeats = 0;
  return options;
}

bool HasAsciiMarkup(std::string_view charset) {
  return !charset.starts_with("utf-16") && charset != "iso-2022-jp" && charset != "replacement";
}

// A value with its character references decoded, and where each of its bytes stood.
struct DecodedValue {
  std::string text;
  std::vector<uint32_t> at;  // one more than bytes: the end
};

DecodedValue DecodeReferences(std::string_view value) {
  DecodedValue decoded;
  for (size_t at = 0; at < value.size();) {
    const CharacterReference reference =
        value[at] == '&' ? ReadCharacterReference(value.substr(at), /*in_attribute=*/true)
                         : CharacterReference();
    const std::string_view text = reference.size == 0 ? value.substr(at, 1) : reference.text();
    decoded.text += text;
    decoded.at.insert(decoded.at.end(), text.size(), static_cast<uint32_t>(at));
    at += reference.size == 0 ? 1 : reference.size;
  }
  decoded.at.push_back(static_cast<uint32_t>(value.size()));
  return decoded;
}

bool MayStayInLink(char c) {
  constexpr std::string_view kEscaped = "\"'<>`";
  return c > ' ' && c < '\x7f' && kEscaped.find(c) == std::string_view::npos;
}

// A URL, or a part of one, as it may stand between any quotes.
std::string ForLink(std::string_view url) {
  std::string link;
  for (const char c : url) {
    if (MayStayInLink(c)) {
      link.push_back(c);
    } else {
      AppendPercentEscape(c, &link);
    }
  }
  return link;
}

std::string EscapeForHtml(std::string_view url) {
  std::string escaped;
  for (const char c : url) {
    if (c == '&') {
      escaped += "&amp;";
    } else {
      escaped.push_back(c);
    }
  }
  return escaped;
}

bool IsAbsolute(std::string_view url) {
  return StartsWithIgnoreCase(url, "http://") || StartsWithIgnoreCase(url, "https://");
}

}  // namespace

LinkConverter::LinkConverter(const UrlOptions& urls) : canonical_(urls), absolute_(EveryUrl()) {}

bool LinkConverter::Converts(std::string_view content_type) {
  return IsHtmlType(content_type) || IsCssType(content_type);
}

std::optional<std::string> LinkConverter::Convert(const MirrorPage& page, std::string_view body,
                                                  FileOf file_of) {
  arena_.Reset();
  const DetectedCharset charset = DetectCharset(body, page.content_type);
  if (!HasAsciiMarkup(charset.name)) return std::nullopt;
  Document document{
      .page = page, .body = body, .charset = charset.name, .file_of = file_of, .output = {}};
  [[maybe_unused]] UrlError error = canonical_.SetBase(page.url);
  error = absolute_.SetBase(page.url);
  if (IsCssType(page.content_type)) {
    queries_.Begin(kUtf8);
    ConvertCss(body, 0, &document);
  } else {
    ConvertHtml(&document);
  }
  document.output += body.substr(document.copied);
  return std::move(document.output);
}

void LinkConverter::Replace(size_t begin, size_t end, std::string_view text, Document* document) {
  document->output += document->body.substr(document->copied, begin - document->copied);
  document->output += text;
  document->copied = end;
}

void LinkConverter::ConvertHtml(Document* document) {
  const bool is_xml = StartsWithIgnoreCase(document->page.content_type, "application/xhtml");
  const std::vector<HtmlUrlPlace> places = FindHtmlUrls(document->body, is_xml);
  queries_.Begin(document->charset);
  SetBase(places, document);
  size_t tag_inside = 0;  // the tag whose link leads into the mirror
  for (size_t i = 0; i < places.size(); ++i) {
    const HtmlUrlPlace& place = places[i];
    if (place.kind != Kind::kIntegrity) {
      led_inside_ = false;
      ConvertPlace(place, document);
      if (led_inside_) tag_inside = place.tag;
      continue;
    }
    // A file of another origin, as all local files are, or one whose links were converted, does not
    // pass the check.
    bool inside = tag_inside == place.tag;
    for (size_t next = i + 1; !inside && next < places.size() && places[next].tag == place.tag;
         ++next) {
      if (places[next].kind != Kind::kUrl) continue;
      led_inside_ = false;
      const std::string_view raw =
          document->body.substr(places[next].begin, places[next].end - places[next].begin);
      LinkTo(DecodeReferences(Decoded(raw, document->charset)).text, *document);
      inside = led_inside_;
    }
    if (inside) Replace(place.begin, place.end, place.quoted ? "" : "\"\"", document);
  }
}

// The first <base href> counts, wherever it stands.
void LinkConverter::SetBase(const std::vector<HtmlUrlPlace>& places, Document* document) {
  for (const HtmlUrlPlace& place : places) {
    if (place.kind != Kind::kBase) continue;
    const std::string_view raw = document->body.substr(place.begin, place.end - place.begin);
    const std::string href = DecodeReferences(Decoded(raw, document->charset)).text;
    if (absolute_.Canonicalize(queries_.Encode(TrimSpace(href))) != UrlError::kNone) return;
    const std::string base(absolute_.url());
    document->has_base =
        canonical_.SetBase(base) == UrlError::kNone && absolute_.SetBase(base) == UrlError::kNone;
    return;
  }
}

std::string LinkConverter::Decoded(std::string_view text, std::string_view charset) {
  return std::string(charset == kUtf8 ? text : ToUtf8(text, charset, &arena_));
}

void LinkConverter::ConvertPlace(const HtmlUrlPlace& place, Document* document) {
  const std::string_view raw = document->body.substr(place.begin, place.end - place.begin);
  if (place.kind == Kind::kStyleSheet) return ConvertCss(raw, place.begin, document);
  if (place.kind == Kind::kBase) {
    // Links are relative to the file now, and no more to <base>.
    if (document->has_base) {
      Replace(place.begin, place.end, place.quoted ? "" : "\"\"", document);
    }
    return;
  }
  if (place.kind == Kind::kUrl) {
    // Of a whole value the charset comes first, then the references.
    const auto link = LinkTo(DecodeReferences(Decoded(raw, document->charset)).text, *document);
    if (link) Replace(place.begin, place.end, EscapeForHtml(*link), document);
    return;
  }
  const DecodedValue value = DecodeReferences(raw);
  const std::string_view text = value.text;
  // Replaces the URL that stands in the value's decoded text.
  const auto replace = [&](size_t begin, size_t end, std::string_view link) {
    Replace(place.begin + value.at[begin], place.begin + value.at[end], EscapeForHtml(link),
            document);
  };
  if (place.kind == Kind::kStyle) {
    CssUrlReader reader(text);
    for (CssUrl found; reader.Next(&found);) {
      const auto link = LinkTo(Decoded(found.url, document->charset), *document);
      if (link) replace(found.begin, found.end, EscapeCssUrl(*link));
    }
    return;
  }
  const auto replace_view = [&](std::string_view url) {
    const auto link = LinkTo(Decoded(url, document->charset), *document);
    if (!link) return;
    const auto begin = static_cast<size_t>(url.data() - text.data());
    replace(begin, begin + url.size(), *link);
  };
  if (place.kind == Kind::kRefresh) {
    const std::string_view url = RefreshUrl(text);
    if (!url.empty()) replace_view(url);
    return;
  }
  std::string_view rest = text;
  for (std::string_view url; NextSrcsetUrl(&rest, &url);) {
    if (!url.empty()) replace_view(url);
  }
}

void LinkConverter::ConvertCss(std::string_view css, size_t begin, Document* document) {
  CssUrlReader reader(css);
  for (CssUrl found; reader.Next(&found);) {
    const auto link = LinkTo(Decoded(found.url, document->charset), *document);
    if (link) Replace(begin + found.begin, begin + found.end, EscapeCssUrl(*link), document);
  }
}

std::optional<std::string> LinkConverter::LinkTo(std::string_view url, const Document& document) {
  url = TrimSpace(url);
  const size_t hash = url.find('#');
  const std::string_view target = url.substr(0, hash);
  // To this document itself, wherever it stands.
  if (target.empty() && !document.has_base) return std::nullopt;
  const std::string fragment =
      hash == std::string_view::npos ? std::string() : ForLink(url.substr(hash));
  const std::string_view encoded = queries_.Encode(target);
  if (canonical_.Canonicalize(encoded) == UrlError::kNone) {
    const std::string_view file = document.file_of(canonical_.url());
    led_inside_ = !file.empty();
    if (led_inside_) return RelativeLink(document.page.path, file) + fragment;
  }
  if (IsAbsolute(target) || absolute_.Canonicalize(encoded) != UrlError::kNone) return std::nullopt;
  return ForLink(absolute_.url()) + fragment;
}

}  // namespace orbweaver
