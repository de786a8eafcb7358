// The tokenizer alone knows no tree, so three rules of the tree that bear on links are kept here:
// which elements hold no markup, where svg and math end, and which tags close an <a>.
#include <algorithm>
#include <array>
#include <bitset>
#include <vector>

#include "common/base/check.h"
#include "lexbor/html/tokenizer.h"
#include "spider/parse/html_engine.h"

namespace orbweaver {
namespace {

// The tokenizer is fed in pieces, so that a tag without end is noticed early.
constexpr size_t kPieceBytes = 4 << 10;
// A tag with more attributes of unknown names than this, and one piece, is skipped: the tokenizer's
// hash table does not grow, so that chosen names would cost the square of their number.
constexpr size_t kMaxUnknownNames = 1024;
// svg and math within one another deeper than this count as one.
constexpr size_t kMaxForeignDepth = 64;

using TagSet = std::bitset<LXB_TAG__LAST_ENTRY>;

TagSet MakeSet(std::initializer_list<lxb_tag_id_t> ids) {
  TagSet set;
  for (const lxb_tag_id_t id : ids) set.set(id);
  return set;
}

// Tags that cannot stand in svg or math: they end it (HTML standard, 13.2.6.5).
const TagSet& Breakouts() {
  static const TagSet set =
      MakeSet({LXB_TAG_B,      LXB_TAG_BIG,  LXB_TAG_BLOCKQUOTE, LXB_TAG_BODY,   LXB_TAG_BR,
               LXB_TAG_CENTER, LXB_TAG_CODE, LXB_TAG_DD,         LXB_TAG_DIV,    LXB_TAG_DL,
               LXB_TAG_DT,     LXB_TAG_EM,   LXB_TAG_EMBED,      LXB_TAG_H1,     LXB_TAG_H2,
               LXB_TAG_H3,     LXB_TAG_H4,   LXB_TAG_H5,         LXB_TAG_H6,     LXB_TAG_HEAD,
               LXB_TAG_HR,     LXB_TAG_I,    LXB_TAG_IMG,        LXB_TAG_LI,     LXB_TAG_LISTING,
               LXB_TAG_MENU,   LXB_TAG_META, LXB_TAG_NOBR,       LXB_TAG_OL,     LXB_TAG_P,
               LXB_TAG_PRE,    LXB_TAG_RUBY, LXB_TAG_S,          LXB_TAG_SMALL,  LXB_TAG_SPAN,
               LXB_TAG_STRONG, LXB_TAG_SUB,  LXB_TAG_SUP,        LXB_TAG_STRIKE, LXB_TAG_TABLE,
               LXB_TAG_TT,     LXB_TAG_U,    LXB_TAG_UL,         LXB_TAG_VAR});
  return set;
}

// The elements of svg and math whose content is HTML again.
bool IsIntegrationPoint(lxb_tag_id_t id) {
  return id == LXB_TAG_FOREIGNOBJECT || id == LXB_TAG_DESC || id == LXB_TAG_TITLE ||
         id == LXB_TAG_MI || id == LXB_TAG_MO || id == LXB_TAG_MN || id == LXB_TAG_MS ||
         id == LXB_TAG_MTEXT;
}

// Whether the tokenizer stands in svg or math.
class ForeignContent {
 public:
  void Clear() { open_.clear(); }

  // Whether an element that begins now is one of svg or math.
  bool inside() const { return !open_.empty() && !open_.back().is_html; }

  // True when the tag belongs to svg or math, and is none of HTML.
  bool Start(lxb_tag_id_t id, bool self_closing) {
    if (inside() && id < LXB_TAG__LAST_ENTRY && Breakouts()[id]) {
      while (inside()) open_.pop_back();
    }
    const bool begins = id == LXB_TAG_SVG || id == LXB_TAG_MATH;
    if (!inside() && !begins) return false;
    const bool is_html = !begins && IsIntegrationPoint(id);
    if ((begins || is_html) && !self_closing && open_.size() < kMaxForeignDepth) {
      open_.push_back({id, is_html});
    }
    return true;
  }

  // True when the tag ends an element of svg or math.
  bool End(lxb_tag_id_t id) {
    if (open_.empty()) return false;
    if (open_.back().id == id) {
      open_.pop_back();
      return true;
    }
    const bool foreign = inside();
    // Ends over what was left open within.
    if (id == LXB_TAG_SVG || id == LXB_TAG_MATH) {
      const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                      [id](const Open& open) { return open.id == id; });
      if (found != open_.rend()) open_.erase(std::prev(found.base()), open_.end());
    }
    return foreign;
  }

 private:
  struct Open {
    lxb_tag_id_t id;
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
  bool BeforeStart(lxb_tag_id_t id) {
    bool ends = false;
    switch (id) {
      case LXB_TAG_TD:
      case LXB_TAG_TH:
      case LXB_TAG_TR:
      case LXB_TAG_CAPTION:
        ends = InCell();
        break;
      case LXB_TAG_TABLE:
        ++depth_;
        break;
      default:
        break;
    }
    return Ends(ends);
  }
  bool BeforeEnd(lxb_tag_id_t id) {
    bool ends = false;
    switch (id) {
      case LXB_TAG_TD:
      case LXB_TAG_TH:
      case LXB_TAG_TR:
      case LXB_TAG_CAPTION:
        ends = InCell();
        break;
      case LXB_TAG_TABLE:
        ends = InCell();
        if (depth_ > 0) --depth_;
        break;
      default:
        break;
    }
    return Ends(ends);
  }

 private:
  bool InCell() const { return open_ && depth_ > 0 && at_depth_ == depth_; }
  bool Ends(bool ends) {
    if (ends) open_ = false;
    return ends;
  }

  bool open_ = false;
  size_t depth_ = 0;  // of tables
  size_t at_depth_ = 0;
};

class LexborEngine : public HtmlEngine {
 public:
  LexborEngine() : tokenizer_(lxb_html_tokenizer_create()) {
    CHECK(lxb_html_tokenizer_init(tokenizer_) == LXB_STATUS_OK);
    lxb_html_tokenizer_callback_token_done_set(tokenizer_, &LexborEngine::OnToken, this);
    // Its own check of each name against all before it costs the square of their number.
    lxb_html_tokenizer_keep_duplicate_set(tokenizer_, true);
    // Without the list it records no errors.
    tokenizer_->parse_errors = lexbor_array_obj_destroy(tokenizer_->parse_errors, true);
    for (lxb_tag_id_t id = 0; id < LXB_TAG__LAST_ENTRY; ++id) {
      size_t size = 0;
      const lxb_char_t* name = lxb_tag_name_by_id(id, &size);
      tags_[id] = name == nullptr ? HtmlTag::kOther
                                  : HtmlTagOf({reinterpret_cast<const char*>(name), size});
    }
  }
  ~LexborEngine() override { lxb_html_tokenizer_destroy(tokenizer_); }
  LexborEngine(const LexborEngine&) = delete;
  LexborEngine& operator=(const LexborEngine&) = delete;

  bool Parse(std::string_view html, HtmlSink& sink) override {
    sink_ = &sink;
    foreign_.Clear();
    link_.Clear();
    bool complete = true;
    Begin();
    while (!html.empty()) {
      const std::string_view piece = html.substr(0, kPieceBytes);
      CHECK(lxb_html_tokenizer_chunk(tokenizer_, reinterpret_cast<const lxb_char_t*>(piece.data()),
                                     piece.size()) == LXB_STATUS_OK);
      html.remove_prefix(piece.size());
      if (lexbor_hash_entries_count(tokenizer_->attrs) <= kMaxUnknownNames) continue;
      // In the midst of a tag with too many attributes, or OnToken had forgotten them.
      complete = false;
      const size_t close = html.find('>');
      html.remove_prefix(close == std::string_view::npos ? html.size() : close + 1);
      Begin();
    }
    CHECK(lxb_html_tokenizer_end(tokenizer_) == LXB_STATUS_OK);
    if (link_.is_open()) sink_->OnEnd(HtmlTag::kA);
    lxb_html_tokenizer_clean(tokenizer_);
    return complete;
  }

 private:
  // Back to the state before the first byte; forgets what was allocated for earlier tokens.
  void Begin() {
    lxb_html_tokenizer_clean(tokenizer_);
    CHECK(lxb_html_tokenizer_begin(tokenizer_) == LXB_STATUS_OK);  // makes the tables, at first
    lexbor_hash_clean(tokenizer_->tags);
    lexbor_hash_clean(tokenizer_->attrs);
  }

  static lxb_html_token_t* OnToken(lxb_html_tokenizer_t*, lxb_html_token_t* token, void* engine) {
    static_cast<LexborEngine*>(engine)->OnToken(*token);
    return token;
  }

  void OnToken(const lxb_html_token_t& token) {
    switch (token.tag_id) {
      case LXB_TAG__TEXT:
        sink_->OnText({reinterpret_cast<const char*>(token.text_start),
                       static_cast<size_t>(token.text_end - token.text_start)});
        return;
      case LXB_TAG__UNDEF:
      case LXB_TAG__END_OF_FILE:
      case LXB_TAG__DOCUMENT:
      case LXB_TAG__EM_COMMENT:
      case LXB_TAG__EM_DOCTYPE:
        return;
      default:
        break;
    }
    if ((token.type & LXB_HTML_TOKEN_TYPE_CLOSE) != 0) {
      OnEnd(token.tag_id);
    } else {
      OnStart(token);
    }
    // Names that the standard does not have are kept until the page ends; few pages have many.
    if (lexbor_hash_entries_count(tokenizer_->tags) > kMaxUnknownNames) {
      lexbor_hash_clean(tokenizer_->tags);
    }
    if (lexbor_hash_entries_count(tokenizer_->attrs) > kMaxUnknownNames / 4) {
      lexbor_hash_clean(tokenizer_->attrs);
    }
  }

  HtmlTag TagOf(lxb_tag_id_t id) const {
    return id < LXB_TAG__LAST_ENTRY ? tags_[id] : HtmlTag::kOther;
  }

  void OnStart(const lxb_html_token_t& token) {
    const lxb_tag_id_t id = token.tag_id;
    const bool self_closing = (token.type & LXB_HTML_TOKEN_TYPE_CLOSE_SELF) != 0;
    const bool foreign = foreign_.Start(id, self_closing);
    if (!foreign) {
      if (link_.BeforeStart(id)) sink_->OnEnd(HtmlTag::kA);
      // What follows is text until the element's end tag.
      lxb_html_tokenizer_set_state_by_tag(tokenizer_, /*scripting=*/false, id, LXB_NS_HTML);
    }
    const HtmlTag tag = TagOf(id);
    // Of svg and math only the links count.
    if (tag == HtmlTag::kOther || (foreign && tag != HtmlTag::kA)) return;
    if (tag == HtmlTag::kA) {
      if (link_.is_open()) sink_->OnEnd(HtmlTag::kA);
      link_.Start();
    }
    HtmlAttributes attributes;
    if (tag != HtmlTag::kBlock) ReadAttributes(token, &attributes);
    sink_->OnStart(tag, attributes);
    if (foreign && self_closing) OnEnd(id);
  }

  void OnEnd(lxb_tag_id_t id) {
    const bool foreign = foreign_.End(id);
    if (!foreign && link_.BeforeEnd(id)) sink_->OnEnd(HtmlTag::kA);
    const HtmlTag tag = TagOf(id);
    if (tag == HtmlTag::kOther || (foreign && tag != HtmlTag::kA)) return;
    if (tag == HtmlTag::kA) {
      if (!link_.is_open()) return;
      link_.End();
    }
    sink_->OnEnd(tag);
  }

  static void ReadAttributes(const lxb_html_token_t& token, HtmlAttributes* attributes) {
    for (const lxb_html_token_attr_t* attribute = token.attr_first; attribute != nullptr;
         attribute = attribute->next) {
      if (attribute->name == nullptr) continue;
      const lexbor_hash_entry_t& name = attribute->name->entry;
      attributes->Set(HtmlAttributeOf({reinterpret_cast<const char*>(lexbor_hash_entry_str(&name)),
                                       name.length}),
                      {reinterpret_cast<const char*>(attribute->value),
                       attribute->value == nullptr ? 0 : attribute->value_size});
    }
  }

  lxb_html_tokenizer_t* const tokenizer_;
  std::array<HtmlTag, LXB_TAG__LAST_ENTRY> tags_;

  // Of the document that is being parsed.
  HtmlSink* sink_ = nullptr;
  ForeignContent foreign_;
  OpenLink link_;
};

}  // namespace

std::unique_ptr<HtmlEngine> MakeLexborEngine() { return std::make_unique<LexborEngine>(); }

}  // namespace orbweaver
