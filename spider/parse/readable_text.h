// The text of a page as people read it, without what stands around it on every page of a site.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "spider/parse/block_reader.h"
#include "spider/parse/parse_options.h"

namespace orbweaver {

// Chooses the blocks in <main> and <article>, but for navigation and the like. Without these
// elements it chooses blocks with few links and many words, and blocks between such (after C.
// Kohlschütter and others, Boilerplate Detection using Shallow Text Features, 2010); a heading goes
// with the block behind it. When nothing was chosen, it chooses everything.
//
// Place: in PageParser. Not thread-safe; keeps its memory.
class ReadableText {
 public:
  // Replaces what was read before. `html` is UTF-8.
  void Read(std::string_view html, const TextOptions& wanted, BlockReader::ResolveHref resolve);

  // Blocks with an empty line between them; items of a list and rows of a table follow each other.
  std::string_view text() const { return text_; }
  // The same as Markdown: headings, lists, quotes, code, tables, links.
  std::string_view markdown() const { return markdown_; }
  bool truncated() const { return truncated_; }

 private:
  void Choose();
  // False when nothing was chosen.
  bool ChooseMain();
  bool ChooseByDensity();
  void ChooseBetween();
  void ChooseHeadings();
  void WriteText(size_t max_bytes);
  void WriteMarkdown(size_t max_bytes);
  void WriteBlock(const TextBlock& block, bool begins_table, size_t max_bytes);

  BlockReader reader_;
  std::vector<bool> chosen_;  // of the reader's blocks
  std::string text_;
  std::string markdown_;
  bool truncated_ = false;
};

}  // namespace orbweaver
