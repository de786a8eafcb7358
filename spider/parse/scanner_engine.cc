// The tokenizer knows no tree, so three rules of the tree that bear on links are kept here: which
// elements hold no markup, where svg and math end, and which tags close an <a>.
#include <algorithm>
#include <vector>

#include "spider/parse/html_engine.h"
#include "spider/parse/html_tokenizer.h"

namespace orbweaver {
namespace {

// svg and math within one another deeper than this count as one.
constexpr size_t kMaxForeignDepth = 64;

// Whether the document stands in svg or math.
class ForeignContent {
 public:
  void Clear() { open_.clear(); }

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
    if ((begins || is_html) && !self_closing && open_.size() < kMaxForeignDepth) {
      open_.push_back({&name, is_html});
    }
    return true;
  }

  // True when the tag ends an element of svg or math.
  bool End(const HtmlName& name) {
    if (open_.empty()) return false;
    if (open_.back().name == &name) {
      open_.pop_back();
      return true;
    }
    const bool foreign = inside();
    // Ends over what was left open within.
    if (name.role == HtmlRole::kForeign) {
      const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                      [&name](const Open& open) { return open.name == &name; });
      if (found != open_.rend()) open_.erase(std::prev(found.base()), open_.end());
    }
    return foreign;
  }

 private:
  struct Open {
    const HtmlName* name;
    bool is_html;
  };
  std::vector<Open> open_;
};

// Where an <a> ends that nothing closes: with the table cell that it stands in. (Outside of tables
// the standard reopens it in every following paragraph, until the next <a>.)
class OpenLink {
 public:
  void Clear() { *this = OpenLink(); }

  void Start() {
    open_ = true;
    at_depth_ = depth_;
  }
  bool is_open() const { return open_; }
  void End() { open_ = false; }

  // Each true when the open <a> ends before this tag.
  bool BeforeStart(const HtmlName& name) {
    if (name.role == HtmlRole::kNone) return false;
    if (name.role == HtmlRole::kTable) ++depth_;
    return name.role == HtmlRole::kCell && EndsInCell();
  }
  bool BeforeEnd(const HtmlName& name) {
    if (name.role == HtmlRole::kNone) return false;
    const bool is_table = name.role == HtmlRole::kTable;
    const bool ends = (is_table || name.role == HtmlRole::kCell) && EndsInCell();
    if (is_table && depth_ > 0) --depth_;
    return ends;
  }

 private:
  bool EndsInCell() {
    if (!open_ || depth_ == 0 || at_depth_ != depth_) return false;
    open_ = false;
    return true;
  }

  bool open_ = false;
  size_t depth_ = 0;  // of tables
  size_t at_depth_ = 0;
};

class ScannerEngine : public HtmlEngine {
 public:
  bool Parse(std::string_view html, HtmlSink& sink) override {
    sink_ = &sink;
    foreign_.Clear();
    link_.Clear();
    tokenizer_.Begin(html);
    for (;;) {
      switch (tokenizer_.Next(foreign_.inside())) {
        case HtmlTokenizer::Token::kText:
          sink.OnText(tokenizer_.text());
          break;
        case HtmlTokenizer::Token::kStartTag:
          OnStart(tokenizer_.name());
          break;
        case HtmlTokenizer::Token::kEndTag:
          OnEnd(tokenizer_.name());
          break;
        case HtmlTokenizer::Token::kEnd:
          if (link_.is_open()) sink.OnEnd(HtmlTag::kA);
          return true;
      }
    }
  }

 private:
  void OnStart(const HtmlName& name) {
    const bool foreign = foreign_.Start(name, tokenizer_.self_closing());
    if (!foreign) {
      if (link_.BeforeStart(name)) sink_->OnEnd(HtmlTag::kA);
      tokenizer_.EnterContent(name);
    }
    // Of svg and math only the links count.
    if (name.tag == HtmlTag::kOther || (foreign && name.tag != HtmlTag::kA)) return;
    if (name.tag == HtmlTag::kA) {
      if (link_.is_open()) sink_->OnEnd(HtmlTag::kA);
      link_.Start();
    }
    sink_->OnStart(name.tag, tokenizer_.attributes());
    if (foreign && tokenizer_.self_closing()) OnEnd(name);
  }

  void OnEnd(const HtmlName& name) {
    const bool foreign = foreign_.End(name);
    if (!foreign && link_.BeforeEnd(name)) sink_->OnEnd(HtmlTag::kA);
    if (name.tag == HtmlTag::kOther || (foreign && name.tag != HtmlTag::kA)) return;
    if (name.tag == HtmlTag::kA) {
      if (!link_.is_open()) return;
      link_.End();
    }
    sink_->OnEnd(name.tag);
  }

  HtmlTokenizer tokenizer_;

  // Of the document that is being parsed.
  HtmlSink* sink_ = nullptr;
  ForeignContent foreign_;
  OpenLink link_;
};

}  // namespace

std::unique_ptr<HtmlEngine> MakeScannerEngine() { return std::make_unique<ScannerEngine>(); }

}  // namespace orbweaver
