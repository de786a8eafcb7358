// A document's tags and text one by one, in one pass (HTML standard, 13.2.5).
//
// It tells what matters to a crawler: comments and doctypes are passed over, names that nobody asks
// for are not told apart, and only tags whose attributes matter have them. Text and values are
// views into the document, but for those with a character reference in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/model/arena.h"
#include "spider/parse/character_reference.h"
#include "spider/parse/html_names.h"

namespace orbweaver {

// Place: in ScannerEngine, which knows what of the tree the tokens depend on. Begin, then Next
// until kEnd. Time is in proportion to the document, whatever it is: no byte is looked for twice.
// Not thread-safe; keeps its memory.
class HtmlTokenizer {
 public:
  enum class Token : uint8_t { kText, kStartTag, kEndTag, kEnd };

  // With `all_attributes` those of every tag are read.
  explicit HtmlTokenizer(bool all_attributes = false) : all_attributes_(all_attributes) {}

  // `html` is UTF-8, and must outlive what is read of it.
  void Begin(std::string_view html);

  // `in_foreign`: the token stands in svg or math, where a CDATA section is text and no comment.
  Token Next(bool in_foreign);

  // After a start tag of HTML (none of svg or math): what follows is this element's content.
  void EnterContent(const HtmlName& name) {
    content_ = name.content;
    content_name_ = &name;
    escape_ = Escape::kNone;
  }

  // Of kText; never empty, and not all of a text: what stands between two tags may come in pieces.
  // Line ends are as in the document. Valid until the next call.
  std::string_view text() const { return text_; }
  // Of tags.
  const HtmlName& name() const { return *name_; }
  // Of tags: the name as it stands in the document.
  std::string_view spelling() const { return spelling_; }
  // Of kStartTag: "<a/>".
  bool self_closing() const { return self_closing_; }
  // Of kStartTag, and unless all are read only where the name has a tag of its own in HtmlTag, for
  // others have nothing to say but their style. The values stay valid until Begin, and as long as
  // the document.
  const HtmlAttributes& attributes() const { return attributes_; }

 private:
  // How deep a script is in what looks like a comment: in one, and in a script in one.
  enum class Escape : uint8_t { kNone, kEscaped, kDoubleEscaped };

  Token ReadMarkup(bool in_foreign);
  Token ReadContent();
  const char* FindInContent(const char* at) const;
  // `at` is at a "<" in an element that holds text.
  bool EndsContent(const char* at) const;
  // Goes on in a script behind the "<" or ">" at `at`; returns where.
  const char* ReadInScript(const char* at);

  // Text up to `at`; what stands there for `size` bytes means what `reference_` says, and comes
  // next.
  Token TextThenReference(const char* begin, const char* at, size_t size);
  Token Text(const char* begin, const char* end);
  // "<!" and "<?"; false when it is a CDATA section, which is a text.
  bool SkipDeclaration(bool in_foreign);
  void SkipComment();
  void SkipPast(char c);

  // Behind "<" or "</". kEnd when the document ends within it: then it is no tag.
  Token ReadTag(Token kind);
  // Behind the name. False when the document ends first.
  template <bool kWanted>
  bool ReadAttributes();
  // Behind "=", not at the end. A value that is not wanted is passed over.
  template <bool kWanted>
  bool ReadValue(std::string_view* value);
  template <char kQuote, bool kWanted>
  bool ReadQuoted(std::string_view* value);
  std::string_view Decode(std::string_view value);

  const bool all_attributes_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;

  HtmlContent content_ = HtmlContent::kMarkup;
  const HtmlName* content_name_ = nullptr;
  Escape escape_ = Escape::kNone;
  const char* escape_begin_ = nullptr;  // the first "-" of "<!--"

  // The latest token.
  std::string_view text_;
  const HtmlName* name_ = nullptr;
  std::string_view spelling_;
  bool self_closing_ = false;
  HtmlAttributes attributes_;
  CharacterReference reference_;
  bool reference_is_next_ = false;

  Arena arena_;  // values that are not as in the document
  std::string decoded_;
};

}  // namespace orbweaver
