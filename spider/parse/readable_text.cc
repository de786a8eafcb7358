#include "spider/parse/readable_text.h"

#include <algorithm>

#include "fmt/format.h"

#include "common/base/utf8.h"

namespace orbweaver {
namespace {

// Less than this in <main> is a frame that scripts fill.
constexpr size_t kLeastMainBytes = 140;
// A word and the space behind it; also where words have no spaces between them.
constexpr size_t kBytesPerWord = 6;
constexpr size_t kIndent = 4;

size_t Words(const TextBlock& block) { return block.text_size / kBytesPerWord; }
double LinkDensity(const TextBlock& block) {
  return static_cast<double>(block.link_bytes) / static_cast<double>(block.text_size);
}

bool IsHeading(const TextBlock& block) { return block.kind == BlockKind::kHeading; }

bool IsMenu(const TextBlock& block) { return LinkDensity(block) > 1.0 / 3; }

// Whether a block between these two is of the page and not around it.
bool IsContent(const TextBlock* before, const TextBlock& block, const TextBlock* after) {
  if (IsMenu(block)) return false;
  if (block.kind == BlockKind::kCode) return true;
  const size_t words_after = after == nullptr ? 0 : Words(*after);
  if (before != nullptr && LinkDensity(*before) > 5.0 / 9) {
    return Words(block) > 40 || words_after > 17;
  }
  if (Words(block) > 16 || words_after > 15) return true;
  return before != nullptr && Words(*before) > 4;
}

bool FollowsAtOnce(const TextBlock& before, const TextBlock& block) {
  return before.kind == block.kind &&
         (block.kind == BlockKind::kItem || (block.kind == BlockKind::kRow && !block.begins_table));
}

void CutTo(size_t max_bytes, std::string* text, bool* truncated) {
  if (text->size() <= max_bytes) return;
  text->resize(ClampUtf8(*text, max_bytes).size());
  *truncated = true;
}

}  // namespace

void ReadableText::Read(std::string_view html, const TextOptions& wanted,
                        BlockReader::ResolveHref resolve) {
  text_.clear();
  markdown_.clear();
  // The blocks that are not chosen may be as long as those that are.
  reader_.Read(html, wanted.markdown, 2 * wanted.max_bytes, resolve);
  truncated_ = reader_.truncated();
  Choose();
  if (wanted.text) WriteText(wanted.max_bytes);
  if (wanted.markdown) WriteMarkdown(wanted.max_bytes);
}

void ReadableText::Choose() {
  const auto blocks = reader_.blocks();
  chosen_.assign(blocks.size(), false);
  if (ChooseMain() || ChooseByDensity()) return;
  bool any = false;
  for (size_t i = 0; i < blocks.size(); ++i) {
    chosen_[i] = !blocks[i].in_chrome;
    any = any || chosen_[i];
  }
  if (!any) chosen_.assign(blocks.size(), true);
}

bool ReadableText::ChooseMain() {
  const auto blocks = reader_.blocks();
  size_t bytes = 0;
  for (const TextBlock& block : blocks) {
    if (block.in_main && !block.in_chrome) bytes += block.text_size;
  }
  if (bytes < kLeastMainBytes) return false;
  for (size_t i = 0; i < blocks.size(); ++i) {
    // The title often stands above.
    const bool is_title = IsHeading(blocks[i]) && blocks[i].level == 1;
    chosen_[i] = !blocks[i].in_chrome && (blocks[i].in_main || is_title);
  }
  return true;
}

bool ReadableText::ChooseByDensity() {
  const auto blocks = reader_.blocks();
  bool any = false;
  // Headings keep what stands on both sides apart.
  std::vector<const TextBlock*> before(blocks.size());
  const TextBlock* last = nullptr;
  for (size_t i = 0; i < blocks.size(); ++i) {
    before[i] = last;
    if (!blocks[i].in_chrome) last = IsHeading(blocks[i]) ? nullptr : &blocks[i];
  }
  const TextBlock* after = nullptr;
  for (size_t i = blocks.size(); i-- > 0;) {
    if (blocks[i].in_chrome) continue;
    if (IsHeading(blocks[i])) {
      after = nullptr;
      continue;
    }
    chosen_[i] = IsContent(before[i], blocks[i], after);
    any = any || chosen_[i];
    after = &blocks[i];
  }
  if (!any) return false;
  ChooseBetween();
  ChooseHeadings();
  return true;
}

// Short blocks are the page where it goes on behind them, before any menu: definitions, steps, the
// lines of a reference.
void ReadableText::ChooseBetween() {
  const auto blocks = reader_.blocks();
  std::vector<size_t> run;
  bool follows_content = false;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].in_chrome || IsHeading(blocks[i])) continue;
    if (chosen_[i]) {
      for (const size_t between : run) chosen_[between] = true;
      run.clear();
      follows_content = true;
    } else if (IsMenu(blocks[i])) {
      run.clear();
      follows_content = false;
    } else if (follows_content) {
      run.push_back(i);
    }
  }
}

// A heading is of the page when something below it is.
void ReadableText::ChooseHeadings() {
  const auto blocks = reader_.blocks();
  bool has_text = false;
  uint8_t level_below = 0;
  for (size_t i = blocks.size(); i-- > 0;) {
    if (blocks[i].in_chrome) continue;
    if (!IsHeading(blocks[i])) {
      has_text = has_text || chosen_[i];
      continue;
    }
    chosen_[i] = has_text || level_below > blocks[i].level;
    level_below = chosen_[i] ? blocks[i].level : level_below;
    has_text = false;
  }
}

void ReadableText::WriteText(size_t max_bytes) {
  const TextBlock* before = nullptr;
  const auto blocks = reader_.blocks();
  for (size_t i = 0; i < blocks.size() && text_.size() <= max_bytes; ++i) {
    if (!chosen_[i]) continue;
    if (before != nullptr) text_ += FollowsAtOnce(*before, blocks[i]) ? "\n" : "\n\n";
    text_ += reader_.TextOf(blocks[i]);
    before = &blocks[i];
  }
  CutTo(max_bytes, &text_, &truncated_);
}

void ReadableText::WriteMarkdown(size_t max_bytes) {
  const TextBlock* before = nullptr;
  const auto blocks = reader_.blocks();
  for (size_t i = 0; i < blocks.size() && markdown_.size() <= max_bytes; ++i) {
    if (!chosen_[i]) continue;
    if (before != nullptr) markdown_ += FollowsAtOnce(*before, blocks[i]) ? "\n" : "\n\n";
    const bool begins_table =
        blocks[i].begins_table || before == nullptr || before->kind != BlockKind::kRow;
    WriteBlock(blocks[i], begins_table, max_bytes);
    before = &blocks[i];
  }
  CutTo(max_bytes, &markdown_, &truncated_);
}

void ReadableText::WriteBlock(const TextBlock& block, bool begins_table, size_t max_bytes) {
  std::string prefix;
  for (int i = 0; i < block.quotes; ++i) prefix += "> ";
  const bool is_item = block.kind == BlockKind::kItem;
  const size_t indents = block.lists - (is_item ? 1u : 0u);
  prefix.append(IsHeading(block) ? 0 : indents * kIndent, ' ');
  markdown_ += prefix;
  if (is_item) {
    markdown_ += block.number == 0 ? "- " : fmt::format("{}. ", block.number);
    prefix.append(kIndent, ' ');
  }
  std::string_view rest = reader_.MarkedOf(block);
  std::string fence;
  if (IsHeading(block)) markdown_.append(block.level, '#').append(" ");
  if (block.kind == BlockKind::kRow) markdown_ += "| ";
  if (block.kind == BlockKind::kCode) {
    fence = "```";
    while (rest.find(fence) != std::string_view::npos && fence.size() < 16) fence += '`';
    markdown_ += fence + '\n' + prefix;
  }
  while (true) {
    const size_t end = rest.find('\n');
    markdown_ += rest.substr(0, end);
    if (end == std::string_view::npos || markdown_.size() > max_bytes) break;
    rest.remove_prefix(end + 1);
    markdown_ += '\n';
    markdown_ += prefix;
  }
  if (block.kind == BlockKind::kCode) markdown_ += '\n' + prefix + fence;
  if (block.kind != BlockKind::kRow) return;
  markdown_ += " |";
  if (!begins_table) return;
  markdown_ += '\n' + prefix + '|';
  for (uint32_t i = 0; i < block.number; ++i) markdown_ += " --- |";
}

}  // namespace orbweaver
