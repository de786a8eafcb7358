// Reads XML as sitemaps and feeds have it, well-formed or not.
#pragma once

#include <string>
#include <string_view>

namespace orbweaver {

// A pull scanner: tags and texts in order, without a tree, in one pass. Prefixes of names are cut
// off; entities are the five of XML and numbers; what is not XML is read as text.
//
// Not thread-safe.
class XmlScanner {
 public:
  enum class Token { kEnd, kStartTag, kEndTag, kText };

  // `xml`: UTF-8, which must outlive the scanner.
  explicit XmlScanner(std::string_view xml) : rest_(xml) {}

  // kEnd at the end, and from then on. A tag that is self-closing gives both its tokens.
  Token Next();

  // Of a tag: its name without prefix.
  std::string_view name() const { return name_; }

  // Of a start tag: the value of the attribute, entities replaced; empty when it is absent. Valid
  // until the next call that is not const, or of Attribute.
  std::string_view Attribute(std::string_view name);

  // Of a text: with entities replaced, unless it is CDATA. Valid until the next call.
  std::string_view text() const { return text_; }

 private:
  Token ReadTag();
  std::string_view Decode(std::string_view raw);

  std::string_view rest_;
  std::string_view name_;
  std::string_view attributes_;
  std::string_view text_;
  bool close_pending_ = false;
  std::string decoded_;
};

}  // namespace orbweaver
