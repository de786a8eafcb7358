// The URLs of a style sheet, each with its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace orbweaver {

struct CssUrl {
  enum class Kind : uint8_t {
    kImport,  // of @import: another style sheet
    kOther,   // an image, a font, a cursor
  };
  Kind kind = Kind::kOther;
  // Its escapes undone. A view into the text unless it had some; valid until the next call.
  std::string_view url;
  // Where it stands in the text: `begin` up to `end`, without quotes.
  size_t begin = 0;
  size_t end = 0;
};

// Reads `url(…)`, and the strings of @import and image-set(), of a file, a <style> or a style
// attribute (CSS Syntax, 4.3). Comments and other strings are passed over, and so are @namespace
// and
// @document, whose URLs are names and nothing to fetch. The text may be in any charset that has
// ASCII as its own bytes. Time is in proportion to the text. Not thread-safe.
class CssUrlReader {
 public:
  // `css` must outlive this.
  explicit CssUrlReader(std::string_view css) : css_(css) {}

  // False when there is none left.
  bool Next(CssUrl* found);

 private:
  // The meaning that the at-rule being read gives to a URL.
  enum class Rule : uint8_t { kNone, kImport, kNames };

  void SkipComment();
  void ReadAtRule();
  // `at_` is at a quote. False when a line break ends it: then it is no string.
  bool ReadString(size_t* begin, size_t* end);
  // Behind the name of a function and its parenthesis. True when it is a URL to take.
  bool ReadFunction(std::string_view name, CssUrl* found);
  void Close();
  // Behind "url(".
  bool ReadUrl(CssUrl* found);
  void Take(size_t begin, size_t end, CssUrl* found);

  const std::string_view css_;
  size_t at_ = 0;
  Rule rule_ = Rule::kNone;
  size_t depth_ = 0;         // of parentheses that are open
  size_t in_image_set_ = 0;  // the depth in the outermost image-set(); 0: outside
  std::string unescaped_;
};

// Whether a URL of a style sheet is one of a file: no part of a document, none that is its own
// content.
bool NamesFile(std::string_view url);

// `url` as it may stand in a style sheet, in quotes of either kind or without: what would end it
// there is escaped.
std::string EscapeCssUrl(std::string_view url);

}  // namespace orbweaver
