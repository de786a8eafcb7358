#include "spider/parse/gumbo_bounds.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/utf8.h"
#include "spider/parse/ascii.h"

namespace orbweaver {
namespace {

// A tag's name, packed; longer ones are cut, which merges some that nobody uses.
using Name = uint64_t;

constexpr Name Pack(std::string_view name) {
  Name packed = 0;
  for (const char c : name.substr(0, 8)) {
    packed = packed << 8 | static_cast<unsigned char>(LowerAscii(c));
  }
  return packed;
}

template <size_t kCount>
constexpr std::array<Name, kCount> Packed(const char* const (&names)[kCount]) {
  std::array<Name, kCount> packed{};
  for (size_t i = 0; i < kCount; ++i) packed[i] = Pack(names[i]);
  return packed;
}

constexpr auto kVoid =
    Packed({"area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img",
            "image", "input", "keygen", "link", "meta", "param", "source", "track", "wbr"});
constexpr auto kFormatting = Packed({"a", "b", "big", "code", "em", "font", "i", "nobr", "s",
                                     "small", "strike", "strong", "tt", "u"});
// Elements that end where the next of their kind begins.
constexpr auto kSelfEnding =
    Packed({"p", "li", "dt", "dd", "option", "optgroup", "tr", "td", "th", "tbody", "thead"});
// End tags of what is outside do not reach into these.
constexpr auto kScopes = Packed({"table", "td", "th", "caption", "template", "object", "marquee",
                                 "applet", "html", "svg", "math", "button", "ul", "ol", "dl"});
constexpr auto kMarkers =
    Packed({"td", "th", "caption", "template", "object", "marquee", "applet"});
constexpr Name kAnchor = Pack("a");
constexpr auto kRawText =
    Packed({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"});

template <size_t kCount>
bool Contains(const std::array<Name, kCount>& names, Name name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr size_t kLeastSteps = 100'000;

struct Tag {
  Name name = 0;
  bool is_end = false;
  size_t attributes = 0;
  size_t end = 0;  // behind its '>'
};

// The standard's active formatting elements: each paragraph reopens them, unless a cell or the like
// keeps them out.
struct Active {
  size_t formatting = 0;
  bool anchor = false;
};

struct Open {
  Name name;
  Active before;
};

class Scan {
 public:
  Scan(std::string_view html, std::vector<size_t>* nul_names)
      : html_(html), nul_names_(*nul_names) {}

  std::string_view Run() {
    size_t at = 0;
    while ((at = html_.find('<', at)) != std::string_view::npos && at + 1 < html_.size()) {
      if (html_.substr(at).starts_with("<!--")) {
        const size_t end = html_.find("-->", at + 2);
        if (end == std::string_view::npos) return html_;
        at = end + 3;
        continue;
      }
      const bool is_end = html_[at + 1] == '/';
      const size_t name = at + (is_end ? 2 : 1);
      if (name >= html_.size() || !IsAsciiLetter(html_[name])) {
        ++at;
        continue;
      }
      const Tag tag = ReadTag(name, is_end);
      if (!Take(tag)) return html_.substr(0, at);
      at = tag.end;
      if (!is_end && Contains(kRawText, tag.name) && !IsInForeign()) {
        at = SkipRawText(tag.name, at);
      }
    }
    return html_;
  }

 private:
  std::string_view NameAt(size_t at) const {
    size_t end = at;
    while (end < html_.size() && !IsSpace(html_[end]) && html_[end] != '>' && html_[end] != '/') {
      ++end;
    }
    return html_.substr(at, end - at);
  }

  Tag ReadTag(size_t at, bool is_end) {
    const std::string_view name = NameAt(at);
    const size_t end = at + name.size();
    Tag tag{.name = Pack(name), .is_end = is_end};
    bool between = true;
    for (at = end; at < html_.size() && html_[at] != '>'; ++at) {
      const char c = html_[at];
      if (IsSpace(c) || c == '/') {
        between = true;
      } else if ((c == '"' || c == '\'') && html_[at - 1] == '=') {
        at = std::min(html_.find(c, at + 1), html_.size() - 1);
        between = true;
      } else if (between) {
        if (c == '\0') nul_names_.push_back(at);
        ++tag.attributes;
        between = false;
      }
    }
    tag.end = std::min(at + 1, html_.size());
    return tag;
  }

  // False when the document goes beyond a bound with this tag.
  bool Take(const Tag& tag) {
    if (tag.attributes > kMaxGumboAttributes) return false;
    if (Contains(kVoid, tag.name)) return true;
    if (tag.is_end) {
      EndFormatting(tag.name);
      const size_t open = open_.size();
      Close(tag.name);
      // One that ends nothing is looked for in all that is open.
      if (open_.size() == open) steps_ += open;
      return steps_ <= kLeastSteps + kMaxGumboStepsPerByte * tag.end;
    }
    if (tag.name == kAnchor) EndAnchor();
    if (Contains(kSelfEnding, tag.name)) CloseOfItsKind(tag.name);
    open_.push_back({tag.name, active_});
    if (Contains(kMarkers, tag.name)) {
      active_ = {};
    } else if (Contains(kFormatting, tag.name)) {
      ++active_.formatting;
      active_.anchor = active_.anchor || tag.name == kAnchor;
    }
    return open_.size() <= kMaxGumboDepth && active_.formatting <= kMaxGumboFormatting;
  }

  // An <a> ends the one before it, but not what that one holds.
  void EndAnchor() {
    if (!active_.anchor) return;
    EndFormatting(kAnchor);
    for (size_t i = open_.size(); i-- > 0 && !Contains(kMarkers, open_[i].name);) {
      if (open_[i].name == kAnchor) {
        open_.erase(open_.begin() + static_cast<ptrdiff_t>(i));
        return;
      }
    }
  }

  void EndFormatting(Name name) {
    if (!Contains(kFormatting, name) || active_.formatting == 0) return;
    if (name == kAnchor && !active_.anchor) return;
    --active_.formatting;
    if (name == kAnchor) active_.anchor = false;
  }

  // With a cell or the like end the formatting elements that began in it, with others not.
  void Pop(size_t to) {
    for (size_t i = to; i < open_.size(); ++i) {
      if (!Contains(kMarkers, open_[i].name)) continue;
      active_ = open_[i].before;
      break;
    }
    open_.resize(to);
  }

  // Ends the innermost element `name` and what is open within, unless a scope lies between.
  void Close(Name name) {
    for (size_t i = open_.size(); i-- > 0;) {
      if (open_[i].name == name) return Pop(i);
      if (Contains(kScopes, open_[i].name) && !Contains(kScopes, name) && name != Pack("tr"))
        return;
    }
  }

  void CloseOfItsKind(Name name) {
    for (size_t i = open_.size(); i-- > 0;) {
      if (open_[i].name == name) return Pop(i);
      // A cell ends at the next cell or row, but not across a table.
      const bool cell = open_[i].name == Pack("td") || open_[i].name == Pack("th");
      if (Contains(kScopes, open_[i].name) && !(cell && name == Pack("tr"))) return;
    }
  }

  // There elements of these names hold elements.
  bool IsInForeign() {
    steps_ += open_.size();
    return std::any_of(open_.begin(), open_.end(), [](const Open& open) {
      return open.name == Pack("svg") || open.name == Pack("math");
    });
  }

  size_t SkipRawText(Name name, size_t at) const {
    while ((at = html_.find("</", at)) != std::string_view::npos) {
      if (Pack(NameAt(at + 2)) == name) return at;
      at += 2;
    }
    return html_.size();
  }

  const std::string_view html_;
  std::vector<size_t>& nul_names_;
  size_t steps_ = 0;
  std::vector<Open> open_;
  Active active_;
};

}  // namespace

std::string_view BoundForGumbo(std::string_view html, std::vector<size_t>* nul_names) {
  nul_names->clear();
  return Scan(ClampUtf8(html, kMaxGumboBytes), nul_names).Run();
}

}  // namespace orbweaver
