// Reads XHTML by the rules of XML.
#pragma once

#include <string_view>
#include <vector>

#include "spider/parse/html_engine.h"
#include "spider/parse/html_tokenizer.h"

namespace orbweaver {

// Under application/xhtml+xml `<script src="x"/>` is a whole element: by the rules of HTML it would
// swallow the rest of the page. Any element may be empty, none ends by itself, and none holds text
// only.
//
// Place: in PageParser, before the HtmlEngine, which reads what is not well-formed. Not
// thread-safe; keeps its memory.
class XhtmlScanner {
 public:
  // With `styles` style attributes are told too.
  explicit XhtmlScanner(bool styles) : styles_(styles), tokenizer_(styles) {}

  // Hands all of `xhtml`, which is UTF-8, to `sink`. False when it is not well-formed, that is when
  // an end tag does not match the element that is open: the sink then got a part that is to be
  // forgotten. A document that is cut off is well-formed as far as it goes, and so are `&`, HTML's
  // character references and values without quotes. Time is in proportion to the document.
  bool Parse(std::string_view xhtml, HtmlSink& sink);

 private:
  struct Open {
    std::string_view name;
    const HtmlName* known;
    bool is_html;  // none of svg or math
    bool reported;
  };

  bool IsHtml(const HtmlName& name) const;
  bool Start();

  const bool styles_;
  HtmlTokenizer tokenizer_;
  HtmlSink* sink_ = nullptr;
  std::vector<Open> open_;
  size_t text_only_ = 0;  // the depth of the <script> or the like that is open; 0: none
};

}  // namespace orbweaver
