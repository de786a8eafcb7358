#include "spider/parse/html_url_places.h"

#include <optional>
#include <utility>

#include "spider/parse/ascii.h"
#include "spider/parse/foreign_content.h"
#include "spider/parse/html_tokenizer.h"

namespace orbweaver {
namespace {

using Kind = HtmlUrlPlace::Kind;

struct Attribute {
  std::string_view name;
  bool has_value = false;
  bool quoted = false;
  size_t begin = 0;
  size_t end = 0;
};

// The attributes of a tag that the tokenizer has read, as they stand in the document (HTML
// standard, 13.2.5.32 to 13.2.5.40).
class AttributeReader {
 public:
  // `at` is behind the tag's name.
  AttributeReader(std::string_view html, size_t at) : html_(html), at_(at) {}

  // False behind the last one: the tag ends before at().
  bool Next(Attribute* read) {
    while (at_ < html_.size() && (IsSpace(html_[at_]) || html_[at_] == '/')) ++at_;
    if (at_ >= html_.size() || html_[at_] == '>') {
      ++at_;
      return false;
    }
    const size_t name = at_++;  // a "=" here begins a name
    while (at_ < html_.size() && !EndsName(html_[at_])) ++at_;
    *read = {.name = html_.substr(name, at_ - name)};
    SkipSpace();
    if (at_ < html_.size() && html_[at_] == '=') {
      ++at_;
      SkipSpace();
      ReadValue(read);
    }
    return true;
  }

  size_t at() const { return at_; }

 private:
  static bool EndsName(char c) { return IsSpace(c) || c == '/' || c == '>' || c == '='; }

  void SkipSpace() {
    while (at_ < html_.size() && IsSpace(html_[at_])) ++at_;
  }

  void ReadValue(Attribute* read) {
    if (at_ >= html_.size() || html_[at_] == '>') return;
    read->has_value = true;
    const char quote = html_[at_];
    read->quoted = quote == '"' || quote == '\'';
    if (read->quoted) {
      read->begin = ++at_;
      while (at_ < html_.size() && html_[at_] != quote) ++at_;
      read->end = at_++;
      return;
    }
    read->begin = at_;
    while (at_ < html_.size() && !IsSpace(html_[at_]) && html_[at_] != '>') ++at_;
    read->end = at_;
  }

  const std::string_view html_;
  size_t at_;
};

std::optional<Kind> KindOf(HtmlTag tag, std::string_view name) {
  static constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"action", Kind::kUrl},     {"background", Kind::kUrl},
      {"cite", Kind::kUrl},       {"formaction", Kind::kUrl},
      {"href", Kind::kUrl},       {"imagesrcset", Kind::kSrcset},
      {"longdesc", Kind::kUrl},   {"integrity", Kind::kIntegrity},
      {"poster", Kind::kUrl},     {"src", Kind::kUrl},
      {"srcset", Kind::kSrcset},  {"style", Kind::kStyle},
      {"xlink:href", Kind::kUrl},
  };
  if (tag == HtmlTag::kBase) {
    return EqualsIgnoreCase(name, "href") ? std::optional(Kind::kBase) : std::nullopt;
  }
  if (tag == HtmlTag::kObject && EqualsIgnoreCase(name, "data")) return Kind::kUrl;
  for (const auto& [known, kind] : kKinds) {
    if (EqualsIgnoreCase(name, known)) return kind;
  }
  return std::nullopt;
}

class PlaceFinder {
 public:
  PlaceFinder(std::string_view html, bool is_xml) : html_(html), is_xml_(is_xml) {}

  std::vector<HtmlUrlPlace> Find() {
    tokenizer_.Begin(html_);
    for (;;) {
      switch (tokenizer_.Next(foreign_.inside())) {
        case HtmlTokenizer::Token::kText:
          break;
        case HtmlTokenizer::Token::kStartTag:
          OnStart();
          break;
        case HtmlTokenizer::Token::kEndTag:
          OnEnd();
          break;
        case HtmlTokenizer::Token::kEnd:
          EndStyle(html_.size());
          return std::move(places_);
      }
    }
  }

 private:
  void OnStart() {
    const HtmlName& name = tokenizer_.name();
    const bool foreign = foreign_.Start(name, tokenizer_.self_closing());
    const bool is_empty = is_xml_ && tokenizer_.self_closing();
    if (!foreign) {
      if (foreign_.empty()) elements_.Start(name);
      if (!is_empty) tokenizer_.EnterContent(name);
    }
    ++tag_;
    const std::string_view spelling = tokenizer_.spelling();
    AttributeReader reader(html_,
                           static_cast<size_t>(spelling.data() - html_.data()) + spelling.size());
    Attribute attribute;
    Attribute content;
    bool refreshes = false;
    while (reader.Next(&attribute)) {
      if (!attribute.has_value) continue;
      if (name.tag == HtmlTag::kMeta) {
        if (EqualsIgnoreCase(attribute.name, "content")) content = attribute;
        refreshes |= EqualsIgnoreCase(attribute.name, "http-equiv") &&
                     EqualsIgnoreCase(TrimSpace(ValueOf(attribute)), "refresh");
      } else if (const auto kind = KindOf(name.tag, attribute.name)) {
        Add(*kind, attribute);
      }
    }
    if (refreshes && content.has_value) Add(Kind::kRefresh, content);
    if (name.tag == HtmlTag::kStyle && !is_empty && !(foreign && tokenizer_.self_closing())) {
      style_begin_ = reader.at();
      // In svg it is markup like any other.
      style_kind_ = foreign ? Kind::kStyle : Kind::kStyleSheet;
    }
  }

  void OnEnd() {
    const HtmlName& name = tokenizer_.name();
    if (name.tag == HtmlTag::kStyle) {
      EndStyle(static_cast<size_t>(tokenizer_.spelling().data() - html_.data()) - 2);
    }
    const bool foreign = foreign_.End(name, elements_);
    if (!foreign && foreign_.empty()) elements_.End(name);
  }

  void EndStyle(size_t end) {
    if (!style_begin_ || *style_begin_ > end) return;
    places_.push_back({.kind = style_kind_, .tag = tag_, .begin = *style_begin_, .end = end});
    style_begin_.reset();
  }

  void Add(Kind kind, const Attribute& attribute) {
    places_.push_back({.kind = kind,
                       .quoted = attribute.quoted,
                       .tag = tag_,
                       .begin = attribute.begin,
                       .end = attribute.end});
  }

  std::string_view ValueOf(const Attribute& attribute) const {
    return html_.substr(attribute.begin, attribute.end - attribute.begin);
  }

  const std::string_view html_;
  const bool is_xml_;
  HtmlTokenizer tokenizer_;
  OpenElements elements_;
  ForeignContent foreign_;
  size_t tag_ = 0;
  std::optional<size_t> style_begin_;  // of a <style> that is open
  Kind style_kind_ = Kind::kStyleSheet;
  std::vector<HtmlUrlPlace> places_;
};

}  // namespace

std::vector<HtmlUrlPlace> FindHtmlUrls(std::string_view html, bool is_xml) {
  return PlaceFinder(html, is_xml).Find();
}

}  // namespace orbweaver
