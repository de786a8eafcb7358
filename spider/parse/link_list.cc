#include "spider/parse/link_list.h"

#include "common/model/limits.h"
#include "spider/parse/ascii.h"
#include "spider/parse/xml_scanner.h"

namespace orbweaver {
namespace {

constexpr size_t kSniffTokens = 16;  // before the root there are a declaration and comments at most

// Of the lines of a text file, empty ones apart, so many are looked at.
constexpr size_t kSniffLines = 16;

// White space as people paste it: also a no-break space and a byte order mark, in UTF-8.
std::string_view TrimPasted(std::string_view text) {
  constexpr std::string_view kPasted[] = {"\xc2\xa0", "\xef\xbb\xbf"};
  for (size_t before = text.size() + 1; text.size() < before;) {
    before = text.size();
    text = TrimSpace(text);
    for (const std::string_view each : kPasted) {
      if (text.starts_with(each)) text.remove_prefix(each.size());
      if (text.ends_with(each)) text.remove_suffix(each.size());
    }
  }
  return text;
}

bool IsUrlLine(std::string_view line) {
  return (StartsWithIgnoreCase(line, "http://") || StartsWithIgnoreCase(line, "https://")) &&
         line.find_first_of(" \t<>\"") == std::string_view::npos;
}

// The text of one element at a time.
class ElementText {
 public:
  explicit ElementText(size_t max_bytes) : text_(max_bytes) {}

  void Start(std::string_view name) {
    name_ = name;
    text_.Clear();
  }
  void Append(std::string_view text) { text_.Append(text); }
  // The text of element `name`, which just ended; empty when there is none, or it had elements.
  std::string_view End(std::string_view name) const {
    return name == name_ ? TrimPasted(text_.view()) : std::string_view();
  }

 private:
  std::string_view name_;
  TextBuffer text_;
};

// A URL may be longer than what becomes of it, but not by much.
constexpr size_t kMaxUrlTextBytes = 2 * kMaxUrlBytes;

void ReadSitemap(std::string_view text, LinkKind kind, LinkCollector* links) {
  // In <url> or <sitemap>: an image's <loc> is deeper.
  XmlScanner xml(text);
  ElementText element(kMaxUrlTextBytes);
  size_t depth = 0;
  while (true) {
    switch (xml.Next()) {
      case XmlScanner::Token::kEnd:
        return;
      case XmlScanner::Token::kStartTag:
        ++depth;
        element.Start(xml.name());
        // The same page in another language.
        if (depth == 3 && xml.name() == "link") {
          links->Add({.href = xml.Attribute("href"), .kind = kind});
        }
        break;
      case XmlScanner::Token::kText:
        element.Append(xml.text());
        break;
      case XmlScanner::Token::kEndTag:
        if (depth == 3 && xml.name() == "loc") {
          links->Add({.href = element.End("loc"), .kind = kind});
        }
        element.Start({});
        if (depth > 0) --depth;
        break;
    }
  }
}

void ReadTextSitemap(std::string_view text, LinkCollector* links) {
  std::string_view line;
  while (NextPart(&text, "\n", &line)) {
    line = TrimPasted(line);
    if (IsUrlLine(line)) links->Add({.href = line, .kind = LinkKind::kSitemapPage});
  }
}

// Its lines are URLs, but for a title, comments and the like.
bool IsTextSitemap(std::string_view text) {
  size_t urls = 0;
  size_t others = 0;
  std::string_view line;
  while (urls + others < kSniffLines && NextPart(&text, "\n", &line)) {
    line = TrimPasted(line);
    if (!line.empty()) ++(IsUrlLine(line) ? urls : others);
  }
  return urls > 0 && urls >= others;
}

// RSS of all versions (<item> with <link>, or a <guid> that is one) and Atom (<entry> with <link
// href>).
class FeedReader {
 public:
  FeedReader(LinkCollector* links, TextBuffer* title) : links_(*links), feed_title_(*title) {}

  void Read(std::string_view text) {
    XmlScanner xml(text);
    while (true) {
      switch (xml.Next()) {
        case XmlScanner::Token::kEnd:
          EndItem();
          return;
        case XmlScanner::Token::kStartTag:
          Start(xml);
          break;
        case XmlScanner::Token::kText:
          element_.Append(xml.text());
          break;
        case XmlScanner::Token::kEndTag:
          End(xml.name());
          break;
      }
    }
  }

 private:
  void Start(XmlScanner& xml) {
    element_.Start(xml.name());
    if (xml.name() == "item" || xml.name() == "entry") {
      EndItem();
      in_item_ = true;
    } else if (xml.name() == "source" && in_item_) {
      in_source_ = true;
      AddSource(xml.Attribute("url"), LinkKind::kFeed);
    } else if (xml.name() == "link") {
      const std::string rel(xml.Attribute("rel"));
      const std::string_view href = xml.Attribute("href");
      if (in_source_ && rel == "self") AddSource(href, LinkKind::kFeed);
      if (!href.empty() && (rel.empty() || rel == "alternate")) {
        Found(href);
      } else if (!href.empty() && (rel == "next" || rel == "prev-archive")) {
        links_.Add({.href = href, .kind = LinkKind::kFeed});
      }
    } else if (xml.name() == "guid") {
      guid_is_link_ = xml.Attribute("isPermaLink") != "false";
    }
  }

  void End(std::string_view name) {
    const std::string_view text = element_.End(name);
    if (name == "item" || name == "entry") {
      EndItem();
    } else if (name == "source") {
      in_source_ = false;
    } else if (name == "title" && !text.empty() && !in_source_) {
      if (in_item_ && item_title_.empty()) item_title_ = text;
      if (!in_item_ && feed_title_.view().empty()) feed_title_.Append(text);
    } else if (name == "link" && !text.empty()) {
      Found(text);
    } else if (name == "guid" && guid_is_link_ && IsUrlLine(text)) {
      guid_ = text;
    }
    element_.Start({});
  }

  void Found(std::string_view href) {
    if (!in_item_ || in_source_) {
      links_.Add({.href = href});  // the site that the feed, or the item's source, is of
    } else if (item_.empty()) {
      item_ = href;
    }
  }

  void AddSource(std::string_view href, LinkKind kind) {
    if (!href.empty()) links_.Add({.href = href, .kind = kind});
  }

  void EndItem() {
    const std::string_view href = item_.empty() ? guid_ : item_;
    links_.Add({.href = href,
                .anchor = ClampUtf8(item_title_, kMaxAnchorBytes),
                .kind = LinkKind::kFeedItem});
    item_.clear();
    guid_.clear();
    item_title_.clear();
    in_item_ = false;
    in_source_ = false;
  }

  LinkCollector& links_;
  TextBuffer& feed_title_;
  ElementText element_{kMaxUrlTextBytes};
  bool in_item_ = false;
  bool in_source_ = false;  // the feed that the item was taken from
  bool guid_is_link_ = true;
  std::string item_;
  std::string guid_;
  std::string item_title_;
};

}  // namespace

DocumentKind KindOfList(std::string_view text) {
  text = TrimPasted(text);
  if (!text.starts_with('<')) {
    return IsTextSitemap(text) ? DocumentKind::kTextSitemap : DocumentKind::kOther;
  }
  XmlScanner xml(text);
  for (size_t i = 0; i < kSniffTokens; ++i) {
    const XmlScanner::Token token = xml.Next();
    if (token == XmlScanner::Token::kText) continue;
    if (token != XmlScanner::Token::kStartTag) break;
    const std::string_view root = xml.name();
    if (root == "urlset") return DocumentKind::kSitemap;
    if (root == "sitemapindex") return DocumentKind::kSitemapIndex;
    if (root == "rss" || root == "RDF" || root == "feed") return DocumentKind::kFeed;
    break;
  }
  return DocumentKind::kOther;
}

void ReadLinkList(std::string_view text, DocumentKind kind, LinkCollector* links,
                  TextBuffer* title) {
  switch (kind) {
    case DocumentKind::kSitemap:
      return ReadSitemap(text, LinkKind::kSitemapPage, links);
    case DocumentKind::kSitemapIndex:
      return ReadSitemap(text, LinkKind::kSitemap, links);
    case DocumentKind::kTextSitemap:
      return ReadTextSitemap(text, links);
    case DocumentKind::kFeed:
      return FeedReader(links, title).Read(text);
    case DocumentKind::kHtml:
    case DocumentKind::kStyleSheet:
    case DocumentKind::kOther:
      return;
  }
}

}  // namespace orbweaver
