#include "spider/parse/block_reader.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "spider/parse/ascii.h"

namespace orbweaver {
namespace {

// A block takes more memory than the tags that make one.
constexpr size_t kMaxBlocks = 65'536;
constexpr size_t kMaxLists = 8;
constexpr uint32_t kMaxQuotes = 4;

enum class Kind : uint8_t {
  kBlock,
  kBreak,
  kHeading,
  kList,
  kItem,
  kQuote,
  kCodeBlock,
  kCode,
  kLink,
  kTable,
  kRow,
  kCell,
  kChrome,
  kMain,
  kHidden,
};

}  // namespace

struct BlockReader::Element {
  std::string_view name;
  Kind kind;
  uint8_t level = 0;         // of kHeading
  bool is_ordered = false;   // of kList
  bool ends_hiding = false;  // stands in nothing hidden: that was left open
};

const BlockReader::Element* BlockReader::Find(std::string_view spelling) {
  // A table, and longer than a function should be.
  static constexpr Element kElements[] = {
      {.name = "a", .kind = Kind::kLink},
      {.name = "address", .kind = Kind::kBlock},
      {.name = "article", .kind = Kind::kMain, .ends_hiding = true},
      {.name = "aside", .kind = Kind::kChrome},
      {.name = "audio", .kind = Kind::kHidden},
      {.name = "blockquote", .kind = Kind::kQuote},
      {.name = "body", .kind = Kind::kBlock, .ends_hiding = true},
      {.name = "br", .kind = Kind::kBreak},
      {.name = "button", .kind = Kind::kHidden},
      {.name = "canvas", .kind = Kind::kHidden},
      {.name = "caption", .kind = Kind::kBlock},
      {.name = "center", .kind = Kind::kBlock},
      {.name = "code", .kind = Kind::kCode},
      {.name = "datalist", .kind = Kind::kHidden},
      {.name = "dd", .kind = Kind::kBlock},
      {.name = "details", .kind = Kind::kBlock},
      {.name = "dialog", .kind = Kind::kHidden},
      {.name = "dir", .kind = Kind::kList},
      {.name = "div", .kind = Kind::kBlock},
      {.name = "dl", .kind = Kind::kBlock},
      {.name = "dt", .kind = Kind::kBlock},
      {.name = "fieldset", .kind = Kind::kBlock},
      {.name = "figcaption", .kind = Kind::kBlock},
      {.name = "figure", .kind = Kind::kBlock},
      {.name = "footer", .kind = Kind::kChrome},
      {.name = "form", .kind = Kind::kBlock},
      {.name = "h1", .kind = Kind::kHeading, .level = 1, .ends_hiding = true},
      {.name = "h2", .kind = Kind::kHeading, .level = 2, .ends_hiding = true},
      {.name = "h3", .kind = Kind::kHeading, .level = 3, .ends_hiding = true},
      {.name = "h4", .kind = Kind::kHeading, .level = 4, .ends_hiding = true},
      {.name = "h5", .kind = Kind::kHeading, .level = 5, .ends_hiding = true},
      {.name = "h6", .kind = Kind::kHeading, .level = 6, .ends_hiding = true},
      {.name = "header", .kind = Kind::kBlock},
      {.name = "hgroup", .kind = Kind::kBlock},
      {.name = "hr", .kind = Kind::kBlock},
      {.name = "iframe", .kind = Kind::kHidden},
      {.name = "kbd", .kind = Kind::kCode},
      {.name = "legend", .kind = Kind::kBlock},
      {.name = "li", .kind = Kind::kItem},
      {.name = "listing", .kind = Kind::kCodeBlock},
      {.name = "main", .kind = Kind::kMain, .ends_hiding = true},
      {.name = "menu", .kind = Kind::kList},
      {.name = "nav", .kind = Kind::kChrome},
      {.name = "noembed", .kind = Kind::kHidden},
      {.name = "noframes", .kind = Kind::kHidden},
      {.name = "noscript", .kind = Kind::kHidden},
      {.name = "object", .kind = Kind::kHidden},
      {.name = "ol", .kind = Kind::kList, .is_ordered = true},
      {.name = "option", .kind = Kind::kHidden},
      {.name = "p", .kind = Kind::kBlock},
      {.name = "pre", .kind = Kind::kCodeBlock},
      {.name = "samp", .kind = Kind::kCode},
      {.name = "script", .kind = Kind::kHidden},
      {.name = "section", .kind = Kind::kBlock},
      {.name = "select", .kind = Kind::kHidden},
      {.name = "style", .kind = Kind::kHidden},
      {.name = "summary", .kind = Kind::kBlock},
      {.name = "svg", .kind = Kind::kHidden},
      {.name = "table", .kind = Kind::kTable},
      {.name = "tbody", .kind = Kind::kBlock},
      {.name = "td", .kind = Kind::kCell},
      {.name = "template", .kind = Kind::kHidden},
      {.name = "textarea", .kind = Kind::kHidden},
      {.name = "tfoot", .kind = Kind::kBlock},
      {.name = "th", .kind = Kind::kCell},
      {.name = "thead", .kind = Kind::kBlock},
      {.name = "title", .kind = Kind::kHidden},
      {.name = "tr", .kind = Kind::kRow},
      {.name = "tt", .kind = Kind::kCode},
      {.name = "ul", .kind = Kind::kList},
      {.name = "video", .kind = Kind::kHidden},
      {.name = "xmp", .kind = Kind::kCodeBlock},
  };
  static_assert(std::ranges::is_sorted(kElements, {}, &Element::name));
  std::array<char, 10> lower;  // as long as the longest name
  if (spelling.size() > lower.size()) return nullptr;
  std::ranges::transform(spelling, lower.begin(), LowerAscii);
  const std::string_view name(lower.data(), spelling.size());
  const auto* const found = std::ranges::lower_bound(kElements, name, {}, &Element::name);
  return found != std::end(kElements) && found->name == name ? found : nullptr;
}

void BlockReader::Read(std::string_view html, bool with_marks, size_t max_bytes,
                       ResolveHref resolve) {
  text_.Clear(with_marks);
  blocks_.clear();
  lists_.clear();
  hidden_ = nullptr;
  hidden_depth_ = chrome_ = main_ = quotes_ = code_blocks_ = tables_ = cells_ = 0;
  heading_ = 0;
  truncated_ = item_begins_ = table_begins_ = in_row_ = false;
  tokenizer_.Begin(html);
  while (true) {
    const HtmlTokenizer::Token token = tokenizer_.Next(/*in_foreign=*/false);
    if (token == HtmlTokenizer::Token::kEnd) break;
    if (blocks_.size() == kMaxBlocks || text_.plain().size() > max_bytes ||
        text_.marked().size() > max_bytes) {
      truncated_ = true;
      break;
    }
    if (token == HtmlTokenizer::Token::kText) {
      OnText(tokenizer_.text());
      continue;
    }
    const bool is_start = token == HtmlTokenizer::Token::kStartTag;
    if (is_start) tokenizer_.EnterContent(tokenizer_.name());
    const Element* const element = Find(tokenizer_.spelling());
    if (element == nullptr) continue;
    if (hidden_ == nullptr || element->ends_hiding) {
      hidden_ = nullptr;
    } else {
      (void)Hide(*element, is_start);
      continue;
    }
    if (!is_start) {
      OnEnd(*element);
    } else if (!Hide(*element, is_start)) {
      OnStart(*element, tokenizer_.attributes(), resolve);
    }
  }
  Flush();
}

bool BlockReader::Hide(const Element& element, bool is_start) {
  if (hidden_ == nullptr) {
    if (element.kind != Kind::kHidden) return false;
    hidden_ = &element;
    hidden_depth_ = 1;
    text_.Space();
  } else if (&element == hidden_) {
    hidden_depth_ = is_start ? hidden_depth_ + 1 : hidden_depth_ - 1;
    if (hidden_depth_ == 0) hidden_ = nullptr;
  }
  return true;
}

void BlockReader::OnText(std::string_view text) {
  if (hidden_ != nullptr) return;
  if (code_blocks_ != 0) {
    text_.AppendCode(text);
  } else {
    text_.Append(text);
  }
}

void BlockReader::OnStart(const Element& element, const HtmlAttributes& attributes,
                          ResolveHref resolve) {
  switch (element.kind) {
    case Kind::kLink: {
      const std::string_view href = TrimSpace(attributes.Get(HtmlAttribute::kHref));
      // One without href is a place in the page. Pages of XHTML leave it open (<a id="x"/>), and
      // all behind it is no link.
      if (href.empty()) {
        text_.CloseLink();
      } else {
        text_.OpenLink(href.starts_with('#') ? std::string_view() : resolve(href));
      }
      break;
    }
    case Kind::kCode:
      if (code_blocks_ == 0) text_.OpenCode();
      break;
    case Kind::kBreak:
      if (in_row_ || heading_ != 0) {
        text_.Space();
      } else {
        text_.LineBreak();
      }
      break;
    case Kind::kCell:
      StartCell();
      break;
    case Kind::kBlock:
      if (in_row_ || code_blocks_ != 0) {
        text_.Space();
      } else {
        Flush();
      }
      break;
    default:
      // A cell with more than paragraphs is a part of the layout.
      if (element.kind != Kind::kRow) in_row_ = false;
      Flush();
      Around(element, /*is_start=*/true);
      break;
  }
}

void BlockReader::OnEnd(const Element& element) {
  switch (element.kind) {
    case Kind::kLink:
      text_.CloseLink();
      break;
    case Kind::kCode:
      if (code_blocks_ == 0) text_.CloseCode();
      break;
    case Kind::kBreak:
    case Kind::kHidden:
      break;
    case Kind::kCell:
      if (!in_row_) Flush();
      break;
    case Kind::kBlock:
      if (in_row_ || code_blocks_ != 0) {
        text_.Space();
      } else {
        Flush();
      }
      break;
    default:
      Flush();
      Around(element, /*is_start=*/false);
      break;
  }
}

void BlockReader::StartCell() {
  if (!in_row_ || tables_ == 0) {
    // Behind a row that was found to be layout: its cells are blocks.
    Flush();
    return;
  }
  if (cells_ > 0) text_.EndCell();
  ++cells_;
}

// Keeps count of what goes on over blocks.
void BlockReader::Around(const Element& element, bool is_start) {
  const auto count = [is_start](uint32_t* open) {
    if (is_start) {
      ++*open;
    } else if (*open > 0) {
      --*open;
    }
  };
  in_row_ = false;
  switch (element.kind) {
    case Kind::kHeading:
      heading_ = is_start ? element.level : 0;
      break;
    case Kind::kList:
      if (is_start && lists_.size() < kMaxLists) {
        lists_.push_back({.ordered = element.is_ordered, .items = 0});
      } else if (!is_start && !lists_.empty()) {
        lists_.pop_back();
      }
      item_begins_ = false;
      break;
    case Kind::kItem:
      item_begins_ = is_start;
      if (is_start && !lists_.empty()) ++lists_.back().items;
      break;
    case Kind::kQuote:
      count(&quotes_);
      break;
    case Kind::kCodeBlock:
      count(&code_blocks_);
      break;
    case Kind::kTable:
      count(&tables_);
      table_begins_ = is_start;
      break;
    case Kind::kRow:
      in_row_ = is_start && tables_ > 0;
      cells_ = 0;
      break;
    case Kind::kChrome:
      count(&chrome_);
      break;
    case Kind::kMain:
      // Navigation has no such thing in it: it was left open.
      if (is_start) chrome_ = 0;
      count(&main_);
      break;
    default:
      break;
  }
}

void BlockReader::Flush() {
  text_.EndBlock(/*is_code=*/code_blocks_ != 0);
  if (!text_.empty() && blocks_.size() < kMaxBlocks) {
    TextBlock block{.lists = static_cast<uint8_t>(lists_.size()),
                    .quotes = static_cast<uint8_t>(std::min(quotes_, kMaxQuotes)),
                    .in_chrome = chrome_ != 0,
                    .in_main = main_ != 0,
                    .text_begin = text_.begin(),
                    .text_size = text_.plain().size() - text_.begin(),
                    .marked_begin = text_.marked_begin(),
                    .marked_size = text_.marked().size() - text_.marked_begin(),
                    .link_bytes = text_.link_bytes()};
    if (heading_ != 0) {
      block.kind = BlockKind::kHeading;
      block.level = heading_;
    } else if (code_blocks_ != 0) {
      block.kind = BlockKind::kCode;
    } else if (in_row_) {
      block.kind = BlockKind::kRow;
      block.number = std::max<uint32_t>(cells_, 1);
      block.begins_table = table_begins_;
      table_begins_ = false;
    } else if (item_begins_ && !lists_.empty()) {
      block.kind = BlockKind::kItem;
      if (lists_.back().ordered) block.number = lists_.back().items;
      item_begins_ = false;
    }
    blocks_.push_back(block);
  }
  text_.BeginBlock();
}

}  // namespace orbweaver
