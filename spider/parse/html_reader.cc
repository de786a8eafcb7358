#include "spider/parse/html_reader.h"

#include "spider/parse/ascii.h"
#include "spider/parse/attribute_values.h"
#include "spider/parse/charset.h"
#include "spider/parse/css_urls.h"

namespace orbweaver {
namespace {

using enum HtmlAttribute;

// Elements whose content is not for reading.
bool IsHidden(HtmlTag tag) {
  return tag == HtmlTag::kScript || tag == HtmlTag::kStyle || tag == HtmlTag::kIframe ||
         tag == HtmlTag::kNoembed || tag == HtmlTag::kNoframes;
}

// Whether a <link> leads to another page.
bool LeadsToPage(const Rel& rel, std::string_view type) {
  return rel.other_page || (rel.alternate && !rel.stylesheet &&
                            (type.empty() || EqualsIgnoreCase(type, "text/html") ||
                             EqualsIgnoreCase(type, "application/xhtml+xml")));
}

bool IsFeedType(std::string_view type) {
  return EqualsIgnoreCase(type, "application/rss+xml") ||
         EqualsIgnoreCase(type, "application/atom+xml") ||
         EqualsIgnoreCase(type, "application/rdf+xml");
}

}  // namespace

void HtmlReader::Begin() {
  language_.clear();
  meta_language_.clear();
  base_.clear();
  canonical_.clear();
  charset_ = {};
  title_.Clear();
  anchor_.Clear();
  text_ = TextCounter();
  in_title_ = had_title_ = in_anchor_ = false;
  anchor_link_ = LinkCollector::kNoLink;
  hidden_ = HtmlTag::kOther;
  style_.clear();
  templates_ = 0;
}

// A template is material for scripts, unless it is the shadow tree of the element that it stands
// in, which is shown.
bool HtmlReader::IsInTemplate(HtmlTag tag, const HtmlAttributes& attributes) {
  if (tag != HtmlTag::kTemplate) return templates_ != 0;
  const std::string_view shadow = attributes.Get(kShadowrootmode);
  const bool is_shown =
      templates_ == 0 && (EqualsIgnoreCase(shadow, "open") || EqualsIgnoreCase(shadow, "closed"));
  if (!is_shown) ++templates_;
  return templates_ != 0;
}

void HtmlReader::Break() {
  if (in_title_) return;
  text_.Break();
  anchor_.Break();
}

void HtmlReader::OnStart(HtmlTag tag, const HtmlAttributes& attributes) {
  if (IsInTemplate(tag, attributes)) return;
  switch (tag) {
    case HtmlTag::kBlock:
      Break();
      break;
    case HtmlTag::kA:
      OnAnchor(attributes);
      break;
    case HtmlTag::kArea:
      OnArea(attributes);
      break;
    case HtmlTag::kBase:
      if (base_.empty()) base_ = TrimSpace(attributes.Get(kHref));
      break;
    case HtmlTag::kFrame:
    case HtmlTag::kIframe:
      links_.Add({.href = attributes.Get(kSrc), .kind = LinkKind::kFrame});
      break;
    case HtmlTag::kHtml:
      if (language_.empty()) language_ = TrimSpace(attributes.Get(kLang));
      break;
    case HtmlTag::kLink:
      OnLink(attributes);
      break;
    case HtmlTag::kMeta:
      OnMeta(attributes);
      break;
    case HtmlTag::kTitle:
      in_title_ = !had_title_;
      had_title_ = true;
      break;
    case HtmlTag::kTemplate:
      break;
    default:
      OnEmbedding(tag, attributes);
      break;
  }
  if (IsHidden(tag)) hidden_ = tag;
}

void HtmlReader::OnEnd(HtmlTag tag) {
  if (templates_ != 0) {
    if (tag == HtmlTag::kTemplate) --templates_;
    return;
  }
  if (tag == hidden_) {
    if (tag == HtmlTag::kStyle) {
      EmbedUrlsOf(style_);
      style_.clear();
    }
    hidden_ = HtmlTag::kOther;
  }
  if (tag == HtmlTag::kBlock) Break();
  if (tag == HtmlTag::kA) EndAnchor();
  if (tag == HtmlTag::kTitle) in_title_ = false;
}

void HtmlReader::OnText(std::string_view text) {
  if (embedded_ && hidden_ == HtmlTag::kStyle && templates_ == 0) style_ += text;
  if (hidden_ != HtmlTag::kOther || templates_ != 0) return;
  if (in_title_) {
    title_.Append(text);
    return;
  }
  text_.Append(text);
  if (in_anchor_) anchor_.Append(text);
}

void HtmlReader::OnStyle(std::string_view style) {
  if (embedded_ && templates_ == 0) EmbedUrlsOf(style);
}

void HtmlReader::OnReopen() {
  if (templates_ == 0) in_anchor_ = true;
}

void HtmlReader::OnAnchor(const HtmlAttributes& attributes) {
  EndAnchor();
  in_anchor_ = true;
  anchor_.Clear();
  anchor_link_ = links_.Add({.href = attributes.Get(kHref),
                             .rel = ReadRel(attributes.Get(kRel)).bits,
                             .may_be_empty = attributes.Has(kHref)});
}

void HtmlReader::OnArea(const HtmlAttributes& attributes) {
  TextBuffer text(kMaxAnchorBytes);
  text.Append(attributes.Get(kAlt));
  links_.Add({.href = attributes.Get(kHref),
              .anchor = text.view(),
              .rel = ReadRel(attributes.Get(kRel)).bits,
              .may_be_empty = attributes.Has(kHref)});
}

void HtmlReader::EndAnchor() {
  if (in_anchor_) links_.SetAnchor(anchor_link_, anchor_.view());
  in_anchor_ = false;
}

void HtmlReader::OnLink(const HtmlAttributes& attributes) {
  const Rel rel = ReadRel(attributes.Get(kRel));
  const std::string_view href = attributes.Get(kHref);
  const std::string_view type = TrimSpace(attributes.Get(kType));
  if (rel.canonical) {
    if (canonical_.empty()) canonical_ = TrimSpace(href);
    links_.Add({.href = href, .kind = LinkKind::kCanonical});
  } else if (rel.alternate && IsFeedType(type)) {
    links_.Add({.href = href, .rel = rel.bits, .kind = LinkKind::kFeed});
  } else if (LeadsToPage(rel, type)) {
    links_.Add({.href = href, .rel = rel.bits});
  } else if (embedded_ && rel.embedded) {
    Embed(href);
    EmbedSrcset(attributes.Get(kImagesrcset));
  }
}

void HtmlReader::OnMeta(const HtmlAttributes& attributes) {
  const std::string_view content = attributes.Get(kContent);
  const std::string_view equivalent = TrimSpace(attributes.Get(kHttpEquiv));
  if (EqualsIgnoreCase(equivalent, "refresh")) {
    links_.Add({.href = RefreshUrl(content), .kind = LinkKind::kRefresh});
  } else if (EqualsIgnoreCase(equivalent, "content-language") && meta_language_.empty()) {
    meta_language_ = TrimSpace(content);
  }
  if (charset_.empty())
    charset_ = CharsetOfMeta(attributes.Get(kCharset), attributes.Get(kHttpEquiv), content);
  robots_.AddMeta(attributes.Get(kName), content);
}

void HtmlReader::OnEmbedding(HtmlTag tag, const HtmlAttributes& attributes) {
  // The text of a link that is a picture.
  if (tag == HtmlTag::kImg && in_anchor_) anchor_.Append(attributes.Get(kAlt));
  if (!embedded_) return;
  Embed(attributes.Get(tag == HtmlTag::kObject ? kData : kSrc));
  if (tag == HtmlTag::kVideo) Embed(attributes.Get(kPoster));
  if (tag == HtmlTag::kImg || tag == HtmlTag::kSource) EmbedSrcset(attributes.Get(kSrcset));
}

void HtmlReader::Embed(std::string_view href) {
  links_.Add({.href = href, .kind = LinkKind::kEmbed});
}

void HtmlReader::EmbedUrlsOf(std::string_view css) {
  CssUrlReader urls(css);
  for (CssUrl found; urls.Next(&found);) {
    if (NamesFile(found.url)) Embed(found.url);
  }
}

void HtmlReader::EmbedSrcset(std::string_view srcset) {
  std::string_view url;
  while (NextSrcsetUrl(&srcset, &url)) Embed(url);
}

}  // namespace orbweaver
