// Two rules of the tree for those who have the tokenizer's tags only: what is open, and whether the
// document stands in svg or math.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "spider/parse/html_names.h"

namespace orbweaver {

// How many elements of each known name are open outside of svg and math.
class OpenElements {
 public:
  void Clear() { counts_.fill(0); }
  void Start(const HtmlName& name) { ++counts_[name.number]; }
  void End(const HtmlName& name) {
    if (counts_[name.number] != 0) --counts_[name.number];
  }

  // Whether an end tag ends such an element, and with it what is open within. Not those that hold
  // nothing, and not those whose end tags leave open what stands in them.
  bool AreEndedBy(const HtmlName& name) const {
    static constexpr std::string_view kNone[] = {
        "area", "base", "body",  "embed", "form", "frame", "head",   "hr",
        "html", "img",  "image", "input", "link", "meta",  "source", "track"};
    return name.number != 0 && counts_[name.number] != 0 &&
           std::find(std::begin(kNone), std::end(kNone), name.name) == std::end(kNone);
  }

 private:
  std::array<uint32_t, kHtmlNames> counts_{};
};

// Whether the document stands in svg or math.
class ForeignContent {
 public:
  void Clear() { open_.clear(); }

  bool empty() const { return open_.empty(); }

  // Whether an element that begins now is one of svg or math.
  bool inside() const { return !open_.empty() && !open_.back().is_html; }

  // True when the tag belongs to svg or math, and is none of HTML.
  bool Start(const HtmlName& name, bool self_closing) {
    if (name.ends_foreign) {
      while (inside()) open_.pop_back();
    }
    const bool begins = name.role == HtmlRole::kForeign;
    if (!inside() && !begins) return false;
    const bool is_html = name.role == HtmlRole::kIntegrationPoint;
    if (name.number != 0 && !self_closing && open_.size() < kMaxForeignDepth) {
      open_.push_back({&name, is_html});
    }
    return true;
  }

  // True when the tag belongs to svg or math. One that ends an element around them ends them too.
  bool End(const HtmlName& name, const OpenElements& around) {
    if (open_.empty()) return false;
    if (open_.back().name == &name) {
      open_.pop_back();
      return true;
    }
    const bool foreign = inside();
    if (foreign && (name.name == "p" || name.name == "br")) {
      while (inside()) open_.pop_back();
      return false;
    }
    // Ends over what was left open within. Integration points keep all but svg and math in.
    const bool reaches_out = name.role == HtmlRole::kForeign;
    for (size_t i = open_.size(); i-- > 0 && (reaches_out || !open_[i].is_html);) {
      if (open_[i].name != &name) continue;
      open_.resize(i);
      return foreign;
    }
    if (!foreign || !around.AreEndedBy(name)) return foreign;
    if (std::any_of(open_.begin(), open_.end(), [](const Open& open) { return open.is_html; })) {
      return true;
    }
    open_.clear();
    return false;
  }

 private:
  // svg and math within one another deeper than this count as one.
  static constexpr size_t kMaxForeignDepth = 64;

  struct Open {
    const HtmlName* name;
    bool is_html;
  };
  std::vector<Open> open_;
};

}  // namespace orbweaver
