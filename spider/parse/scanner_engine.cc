// The tokenizer knows no tree, so four rules of the tree that bear on links are kept here: which
// elements hold no markup, where svg and math end, which tags close an <a>, and that a template is
// a document of its own.
#include <vector>

#include "spider/parse/foreign_content.h"
#include "spider/parse/html_engine.h"
#include "spider/parse/html_tokenizer.h"

namespace orbweaver {
namespace {

constexpr size_t kMaxTemplateDepth = 512;

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
  explicit ScannerEngine(bool styles) : styles_(styles), tokenizer_(styles) {}

  bool Parse(std::string_view html, HtmlSink& sink) override {
    sink_ = &sink;
    elements_.Clear();
    foreign_.Clear();
    link_.Clear();
    links_around_.clear();
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
      if (foreign_.empty()) elements_.Start(name);
      if (link_.BeforeStart(name)) sink_->OnEnd(HtmlTag::kA);
      tokenizer_.EnterContent(name);
    }
    const HtmlAttributes& attributes = tokenizer_.attributes();
    if (styles_ && attributes.Has(HtmlAttribute::kStyle)) {
      sink_->OnStyle(attributes.Get(HtmlAttribute::kStyle));
    }
    // Of svg and math only the links count.
    if (name.tag == HtmlTag::kOther || (foreign && name.tag != HtmlTag::kA)) return;
    if (name.tag == HtmlTag::kA) {
      if (link_.is_open()) sink_->OnEnd(HtmlTag::kA);
      link_.Start();
    }
    sink_->OnStart(name.tag, attributes);
    if (name.tag == HtmlTag::kTemplate && links_around_.size() < kMaxTemplateDepth) {
      links_around_.push_back(link_);
      link_.Clear();
    }
    if (foreign && tokenizer_.self_closing()) OnEnd(name);
  }

  void OnEnd(const HtmlName& name) {
    const bool foreign = foreign_.End(name, elements_);
    if (!foreign) {
      if (foreign_.empty()) elements_.End(name);
      if (link_.BeforeEnd(name)) sink_->OnEnd(HtmlTag::kA);
    }
    if (name.tag == HtmlTag::kOther || (foreign && name.tag != HtmlTag::kA)) return;
    if (name.tag == HtmlTag::kA) {
      if (!link_.is_open()) return;
      link_.End();
    }
    if (name.tag == HtmlTag::kTemplate) {
      if (links_around_.empty()) return;
      if (link_.is_open()) sink_->OnEnd(HtmlTag::kA);
      link_ = links_around_.back();
      links_around_.pop_back();
    }
    sink_->OnEnd(name.tag);
  }

  const bool styles_;
  HtmlTokenizer tokenizer_;

  // Of the document that is being parsed.
  HtmlSink* sink_ = nullptr;
  OpenElements elements_;
  ForeignContent foreign_;
  OpenLink link_;
  std::vector<OpenLink> links_around_;  // around each template that is open
};

}  // namespace

std::unique_ptr<HtmlEngine> MakeScannerEngine(bool styles) {
  return std::make_unique<ScannerEngine>(styles);
}

}  // namespace orbweaver
