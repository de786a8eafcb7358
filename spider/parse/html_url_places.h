// Where the URLs of an HTML document stand in it, to be replaced there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace orbweaver {

struct HtmlUrlPlace {
  enum class Kind : uint8_t {
    kUrl,         // the value is one URL
    kSrcset,      // URLs with what they are for
    kRefresh,     // the content of <meta http-equiv=refresh>
    kStyle,       // the value is CSS
    kStyleSheet,  // no attribute: the text of a <style>
    kBase,        // the URL of <base href>
    kIntegrity,   // a hash of what the tag's URL leads to
  };
  Kind kind = Kind::kUrl;
  bool quoted = true;  // false: an attribute's value without quotes
  size_t tag = 0;      // the same for the places of one tag
  // The value as it stands in the document, character references and all, without quotes.
  size_t begin = 0;
  size_t end = 0;
};

// In the order of the document, which is in any charset that has ASCII as its own bytes. With
// `is_xml` tags such as `<script/>` hold nothing. Time is in proportion to the document.
std::vector<HtmlUrlPlace> FindHtmlUrls(std::string_view html, bool is_xml);

}  // namespace orbweaver
