// The names of tags and attributes that matter, found straight from a document's bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "spider/parse/ascii.h"
#include "spider/parse/html_engine.h"

namespace orbweaver {

// The kind of an element's content, which decides where the element ends (HTML standard, 13.2.6.4).
enum class HtmlContent : uint8_t {
  kMarkup,
  kText,       // RCDATA: text and character references up to the element's end tag
  kRaw,        // RAWTEXT: text up to the element's end tag
  kScript,     // the same but for what looks like a comment in it
  kPlaintext,  // text up to the document's end
};

// The role of an element in the rules of the tree.
enum class HtmlRole : uint8_t {
  kNone,
  kTable,
  kCell,              // what a table has within it, and an <a> cannot reach out of
  kForeign,           // <svg>, <math>
  kIntegrationPoint,  // in svg and math: its content is HTML again
};

struct HtmlName {
  std::string_view name;
  HtmlTag tag = HtmlTag::kOther;
  HtmlContent content = HtmlContent::kMarkup;
  HtmlRole role = HtmlRole::kNone;
  bool ends_foreign = false;  // cannot stand in svg or math (13.2.6.5)
  uint8_t number = 0;         // from 1, below kHtmlNames; of a name that is not known 0
};
inline constexpr size_t kHtmlNames = 128;

// The key by which names are looked up: the last eight bytes in lower case, the last one lowest.
constexpr uint64_t AppendToTail(uint64_t tail, unsigned char lower) { return tail << 8 | lower; }
constexpr uint64_t TailOf(std::string_view name) {
  uint64_t tail = 0;
  for (const char c : name) tail = AppendToTail(tail, static_cast<unsigned char>(LowerAscii(c)));
  return tail;
}

// `name` in any case, `tail` its tail. One object for each name; all that are not known share one.
const HtmlName& FindHtmlName(std::string_view name, uint64_t tail);
HtmlAttribute FindHtmlAttribute(std::string_view name, uint64_t tail);

}  // namespace orbweaver
