#include "spider/parse/xhtml_scanner.h"

namespace orbweaver {
namespace {

// More is no document that anybody wrote.
constexpr size_t kMaxDepth = 10'000;

}  // namespace

bool XhtmlScanner::Parse(std::string_view xhtml, HtmlSink& sink) {
  sink_ = &sink;
  open_.clear();
  text_only_ = 0;
  tokenizer_.Begin(xhtml);
  for (;;) {
    switch (tokenizer_.Next(/*in_foreign=*/true)) {
      case HtmlTokenizer::Token::kText:
        sink.OnText(tokenizer_.text());
        break;
      case HtmlTokenizer::Token::kStartTag:
        if (!Start()) return false;
        break;
      case HtmlTokenizer::Token::kEndTag:
        if (open_.empty() || open_.back().name != tokenizer_.spelling()) return false;
        if (open_.back().reported) sink.OnEnd(open_.back().known->tag);
        if (text_only_ == open_.size()) text_only_ = 0;
        open_.pop_back();
        break;
      case HtmlTokenizer::Token::kEnd:
        for (; !open_.empty(); open_.pop_back()) {
          if (open_.back().reported) sink.OnEnd(open_.back().known->tag);
        }
        return true;
    }
  }
}

bool XhtmlScanner::IsHtml(const HtmlName& name) const {
  if (name.role == HtmlRole::kForeign) return false;
  return open_.empty() || open_.back().is_html ||
         open_.back().known->role == HtmlRole::kIntegrationPoint;
}

bool XhtmlScanner::Start() {
  const HtmlName& name = tokenizer_.name();
  const bool is_html = IsHtml(name);
  // Of svg and math only the links count, and of what stands in a script nothing.
  const bool reported =
      name.tag != HtmlTag::kOther && text_only_ == 0 && (is_html || name.tag == HtmlTag::kA);
  const HtmlAttributes& attributes = tokenizer_.attributes();
  if (styles_ && text_only_ == 0 && attributes.Has(HtmlAttribute::kStyle)) {
    sink_->OnStyle(attributes.Get(HtmlAttribute::kStyle));
  }
  if (reported) sink_->OnStart(name.tag, attributes);
  if (tokenizer_.self_closing()) {
    if (reported) sink_->OnEnd(name.tag);
    return true;
  }
  if (open_.size() == kMaxDepth) return false;
  open_.push_back({tokenizer_.spelling(), &name, is_html, reported});
  const bool holds_text =
      name.content != HtmlContent::kMarkup && name.content != HtmlContent::kPlaintext;
  if (is_html && text_only_ == 0 && holds_text) text_only_ = open_.size();
  return true;
}

}  // namespace orbweaver
