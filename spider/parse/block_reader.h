// A document as the blocks that people read: paragraphs, headings, items, code, rows of tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"

#include "spider/parse/html_tokenizer.h"
#include "spider/parse/inline_text.h"

namespace orbweaver {

enum class BlockKind : uint8_t { kParagraph, kHeading, kItem, kCode, kRow };

struct TextBlock {
  BlockKind kind = BlockKind::kParagraph;
  uint8_t level = 0;  // of a heading, from 1
  uint8_t lists = 0;  // around it
  uint8_t quotes = 0;
  bool in_chrome = false;     // navigation, footers and the like
  bool in_main = false;       // <main> or <article>
  bool begins_table = false;  // of kRow
  uint32_t number = 0;        // of kItem in an ordered list, from 1; of kRow: its cells
  size_t text_begin = 0, text_size = 0;
  size_t marked_begin = 0, marked_size = 0;
  size_t link_bytes = 0;  // of the text
};

// In one pass over the tags, without a tree: what is open is counted, and what a document leaves
// open hides nothing for good. Time and memory are in proportion to the document; both are bounded.
//
// Place: in ReadableText. Not thread-safe; keeps its memory.
class BlockReader {
 public:
  // An absolute URL for what stands in a link; empty when it leads nowhere.
  using ResolveHref = absl::FunctionRef<std::string_view(std::string_view href)>;

  // `html` is UTF-8. Ends early when either text has more than `max_bytes`.
  void Read(std::string_view html, bool with_marks, size_t max_bytes, ResolveHref resolve);

  // Of the document read last, in its order; valid until the next Read.
  std::span<const TextBlock> blocks() const { return blocks_; }
  std::string_view TextOf(const TextBlock& block) const {
    return text_.plain().substr(block.text_begin, block.text_size);
  }
  std::string_view MarkedOf(const TextBlock& block) const {
    return text_.marked().substr(block.marked_begin, block.marked_size);
  }
  // A bound was met: the rest of the document is missing.
  bool truncated() const { return truncated_; }

 private:
  struct Element;
  struct List {
    bool ordered;
    uint32_t items;
  };

  static const Element* Find(std::string_view spelling);
  void OnStart(const Element& element, const HtmlAttributes& attributes, ResolveHref resolve);
  void OnEnd(const Element& element);
  // True when the tag is of what is hidden.
  bool Hide(const Element& element, bool is_start);
  void OnText(std::string_view text);
  void Around(const Element& element, bool is_start);
  void StartCell();
  // Ends the block at hand; the next one is a paragraph, or of what is around it.
  void Flush();

  HtmlTokenizer tokenizer_;
  InlineText text_;
  std::vector<TextBlock> blocks_;
  bool truncated_ = false;

  // The open elements.
  const Element* hidden_ = nullptr;
  uint32_t hidden_depth_ = 0;
  uint32_t chrome_ = 0, main_ = 0, quotes_ = 0, code_blocks_ = 0;
  std::vector<List> lists_;
  uint8_t heading_ = 0;
  bool item_begins_ = false;
  // The table that is open: of nested ones the innermost counts.
  uint32_t tables_ = 0;
  bool table_begins_ = false;
  bool in_row_ = false;
  uint32_t cells_ = 0;
};

}  // namespace orbweaver
