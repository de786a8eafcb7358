// The text of one block of a document: plain, and marked as Markdown has it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orbweaver {

// Place: in BlockReader, one for all blocks of a document, whose texts stand one behind the other.
// White space is collapsed. Not thread-safe; keeps its memory.
class InlineText {
 public:
  // Begins a document. Without `with_marks` nothing is marked, which saves the time.
  void Clear(bool with_marks);

  // The next block begins behind the last one.
  void BeginBlock();
  // Takes off what stands at its end for nothing. Code stays as it is.
  void EndBlock(bool is_code);
  // Nothing to read is in the block so far.
  bool empty() const { return plain_.size() == begin_; }
  size_t begin() const { return begin_; }
  size_t marked_begin() const { return marked_begin_; }
  // Bytes of the block's plain text that are links.
  size_t link_bytes() const { return link_bytes_; }

  void Append(std::string_view text);
  // As it stands, spaces and line ends too.
  void AppendCode(std::string_view text);
  // The next text is a word of its own.
  void Space() { space_ = true; }
  void LineBreak();
  // Ends a cell of a row.
  void EndCell();

  // Empty where a link leads nowhere. The other ends with its block at the latest.
  void OpenLink(std::string_view url);
  void CloseLink();
  void OpenCode();
  void CloseCode();

  std::string_view plain() const { return plain_; }
  std::string_view marked() const { return marked_; }

 private:
  void AppendMarked(std::string_view words);
  void BeginWord();

  bool with_marks_ = false;
  std::string plain_;
  std::string marked_;
  size_t begin_ = 0;
  size_t marked_begin_ = 0;
  size_t link_bytes_ = 0;
  bool space_ = false;
  size_t ended_cells_ = 0;  // which nothing has followed yet
  // The link that is open: where its text begins.
  bool in_link_ = false;
  std::string url_;
  size_t link_begin_ = 0;
  size_t link_marked_begin_ = 0;
  bool in_code_ = false;
  size_t code_marked_begin_ = 0;
};

}  // namespace orbweaver
