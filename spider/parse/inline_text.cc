#include "spider/parse/inline_text.h"

#include <algorithm>

#include "spider/parse/ascii.h"

namespace orbweaver {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordByte(char c) {
  return IsAsciiLetter(c) || IsDigit(c) || static_cast<unsigned char>(c) >= 0x80;
}

// Whether Markdown would read the byte at `i` as more than itself. A "_" within a word is none.
bool NeedsEscape(std::string_view text, size_t i) {
  switch (text[i]) {
    case '\\':
    case '`':
    case '*':
    case '[':
    case ']':
    case '|':
      return true;
    case '_':
      return i == 0 || i + 1 == text.size() || !IsWordByte(text[i - 1]) || !IsWordByte(text[i + 1]);
    case '<':
      return i + 1 == text.size() || IsAsciiLetter(text[i + 1]) || text[i + 1] == '/' ||
             text[i + 1] == '!';
    default:
      return false;
  }
}

// Where a "\" must stand so that the block is no heading, quote or list; npos: nowhere.
size_t LineMark(std::string_view block) {
  if (block.empty()) return std::string_view::npos;
  if (std::string_view("#>+-=~").find(block[0]) != std::string_view::npos) return 0;
  const size_t digits = std::min(block.find_first_not_of("0123456789"), block.size());
  const bool is_number = digits > 0 && digits < std::min<size_t>(block.size(), 10) &&
                         (block[digits] == '.' || block[digits] == ')');
  return is_number ? digits : std::string_view::npos;
}

// The mark behind a heading that leads to itself.
bool IsPermalink(std::string_view text) {
  return text == "#" || text == "\xc2\xb6" || text == "\xc2\xa7";  // U+00B6, U+00A7
}

// The longest run of "`".
size_t Backticks(std::string_view text) {
  size_t longest = 0;
  size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

void InlineText::Clear(bool with_marks) {
  with_marks_ = with_marks;
  plain_.clear();
  marked_.clear();
  in_link_ = in_code_ = false;
  BeginBlock();
}

void InlineText::BeginBlock() {
  begin_ = link_begin_ = plain_.size();
  marked_begin_ = link_marked_begin_ = code_marked_begin_ = marked_.size();
  link_bytes_ = ended_cells_ = 0;
  space_ = false;
}

void InlineText::EndBlock(bool is_code) {
  const bool goes_on = in_link_;
  const std::string url = url_;
  CloseCode();
  CloseLink();
  while (plain_.size() > begin_ && IsSpace(plain_.back())) plain_.pop_back();
  while (marked_.size() > marked_begin_ && IsSpace(marked_.back())) marked_.pop_back();
  const size_t mark = LineMark(std::string_view(marked_).substr(marked_begin_));
  if (!is_code && mark != std::string_view::npos) marked_.insert(marked_begin_ + mark, 1, '\\');
  // Browsers let a link go on in the next block.
  in_link_ = goes_on;
  url_ = url;
}

void InlineText::BeginWord() {
  for (; ended_cells_ > 0; --ended_cells_) {
    plain_ += '\t';
    if (with_marks_) marked_ += " | ";
  }
  if (space_ && !empty() && !IsSpace(plain_.back())) {
    plain_ += ' ';
    if (with_marks_) marked_ += ' ';
    if (in_link_ && link_begin_ + 1 == plain_.size()) {
      link_begin_ = plain_.size();
      link_marked_begin_ = marked_.size();
    }
    if (in_code_ && code_marked_begin_ + 1 == marked_.size()) code_marked_begin_ = marked_.size();
  }
  space_ = false;
}

void InlineText::Append(std::string_view text) {
  while (!text.empty()) {
    if (IsSpace(text[0]) || text[0] == '\0') {
      space_ |= text[0] != '\0';
      text.remove_prefix(1);
      continue;
    }
    size_t size = 1;
    while (size < text.size() && !IsSpace(text[size]) && text[size] != '\0') ++size;
    BeginWord();
    plain_ += text.substr(0, size);
    if (with_marks_) AppendMarked(text.substr(0, size));
    text.remove_prefix(size);
  }
}

void InlineText::AppendMarked(std::string_view words) {
  if (in_code_) {
    marked_ += words;
    return;
  }
  for (size_t i = 0; i < words.size(); ++i) {
    if (NeedsEscape(words, i)) marked_ += '\\';
    marked_ += words[i];
  }
}

void InlineText::AppendCode(std::string_view text) {
  for (const char c : text) {
    if (c == '\0' || c == '\r') continue;
    // The line end behind <pre> is not shown.
    if (c == '\n' && empty()) continue;
    plain_ += c;
    if (with_marks_) marked_ += c;
  }
}

void InlineText::LineBreak() {
  if (empty()) return;
  plain_ += '\n';
  if (with_marks_) marked_ += '\n';
  space_ = false;
}

void InlineText::EndCell() {
  CloseCode();
  CloseLink();
  ++ended_cells_;
  space_ = false;
}

void InlineText::OpenLink(std::string_view url) {
  CloseLink();
  BeginWord();
  in_link_ = true;
  url_ = url;
  link_begin_ = plain_.size();
  link_marked_begin_ = marked_.size();
}

void InlineText::CloseLink() {
  if (!in_link_) return;
  in_link_ = false;
  if (plain_.size() <= link_begin_) return;
  if (IsPermalink(std::string_view(plain_).substr(link_begin_))) {
    plain_.resize(link_begin_);
    // Code that was opened within goes with it.
    if (!in_code_ && with_marks_) marked_.resize(std::min(link_marked_begin_, marked_.size()));
    return;
  }
  link_bytes_ += plain_.size() - link_begin_;
  if (!with_marks_ || url_.empty() || in_code_) return;
  marked_.insert(link_marked_begin_, 1, '[');
  const bool has_bracket = url_.find_first_of("()") != std::string::npos;
  marked_.append(has_bracket ? "](<" : "](").append(url_).append(has_bracket ? ">)" : ")");
}

void InlineText::OpenCode() {
  CloseCode();
  BeginWord();
  in_code_ = true;
  code_marked_begin_ = marked_.size();
}

void InlineText::CloseCode() {
  if (!in_code_) return;
  in_code_ = false;
  if (marked_.size() <= code_marked_begin_) return;
  const std::string_view code = std::string_view(marked_).substr(code_marked_begin_);
  const size_t ticks = Backticks(code);
  std::string fence(ticks + 1, '`');
  // A space keeps the fence apart from what begins or ends with it.
  const bool pad = ticks > 0;
  marked_.insert(code_marked_begin_, pad ? fence + ' ' : fence);
  if (pad) fence.insert(fence.begin(), ' ');
  marked_ += fence;
  // A link that was begun within and goes on: its mark would stand in what has just moved.
  if (in_link_ && link_marked_begin_ > code_marked_begin_) {
    url_.clear();
    link_marked_begin_ = marked_.size();
  }
}

}  // namespace orbweaver
